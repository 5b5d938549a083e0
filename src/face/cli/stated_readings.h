// SPDX-License-Identifier: Apache-2.0
// Verdicts that a test states for other readings than the defaults: `Verdict[MODEL,NAME=VALUE]=...`.
#pragma once

#include "face/cli/present.h"
#include "face/cli/settings.h"
#include "session/analysis.h"

namespace ptxmc::cli {

/// The rest of a test's expectations: checks it once more under each set of readings that its verdicts name
/// for the session's model, and adds what is not met to the report. Does nothing when the session itself has
/// changed readings. Throws what check_test() throws.
void judge_other_readings(const session::Session& session, const Options& options,
                          const session::Analysis& analysis, TestReport& report);

}  // namespace ptxmc::cli

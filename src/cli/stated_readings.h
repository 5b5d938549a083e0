// SPDX-License-Identifier: Apache-2.0
// Verdicts that a test states for other readings than the defaults: `Verdict[MODEL,NAME=VALUE]=...`.
#pragma once

#include "cli/check_test.h"
#include "cli/present.h"
#include "cli/settings.h"

namespace ptxmc::cli {

/// Throws InputError, with its place, for a stated reading that does not exist, is a default, or is named
/// twice, and for a stated finding that is neither a rule's nor a flag's of the session's model.
void check_stated(const Session& session, const litmus::Test& test);

/// The rest of a test's expectations: checks it once more under each set of readings that its verdicts name
/// for the session's model, and adds what is not met to the report. Does nothing when the session itself has
/// changed readings. Throws what check_test() throws.
void judge_other_readings(const Session& session, const Options& options, const Analysis& analysis,
                          TestReport& report);

}  // namespace ptxmc::cli

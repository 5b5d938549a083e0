// SPDX-License-Identifier: Apache-2.0
// The condition's answer where the list of states stays incomplete.
#pragma once

#include <optional>

#include "cli/check_test.h"
#include "cli/stopwatch.h"

namespace ptxmc::cli {

/// How long states may be listed, given the time that is left of a test: half of it, so that a list that does
/// not end leaves time for the condition alone.
std::optional<double> time_to_list(std::optional<double> left, engine::Ask ask);

/// Asks for the condition alone, as `--verdict` does, where an incomplete list of states leaves it open, and
/// for the other side where `stated` speaks of that. A state that is found joins the list; what has none is
/// returned.
report::Excluded settle_condition(const Session& session, const Stopwatch& watch,
                                  const litmus::Verdict* stated, Analysis& analysis);

}  // namespace ptxmc::cli

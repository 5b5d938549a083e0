// SPDX-License-Identifier: Apache-2.0
// NaivePhases: is a value of `phase` that an engine chose one that barriers can have in that execution?
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"
#include "axiomatic/recheck/naive_values.h"
#include "model/relation/bits.h"

namespace ptxmc::check {

/// What is wrong with the value, in words; empty: some interleaving of the barrier operations of the
/// execution produces it.
std::vector<std::string> judge_phases(const event::ProgramGraph& graph, const event::Execution& execution,
                                      const relation::BitMatrix& phase, NaiveValues& values);

}  // namespace ptxmc::check

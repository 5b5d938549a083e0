// SPDX-License-Identifier: Apache-2.0
// NaivePhases: is a value of `phase` that an engine chose one that barriers can have in that execution?
#pragma once

#include <string>
#include <vector>

#include "check/naive_values.h"
#include "event/execution.h"
#include "event/program_graph.h"
#include "relation/bits.h"

namespace ptxmc::check {

/// What is wrong with the value, in words; empty: some interleaving of the barrier operations of the
/// execution produces it.
std::vector<std::string> judge_phases(const event::ProgramGraph& graph, const event::Execution& execution,
                                      const relation::BitMatrix& phase, NaiveValues& values);

}  // namespace ptxmc::check

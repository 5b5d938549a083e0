// SPDX-License-Identifier: Apache-2.0
// The third evaluator: judges one execution again, naively, with none of the code by which the engines
// search or evaluate; recheck.cpp says what it shares with them.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/engine/engine.h"

namespace ptxmc::check {

/// Empty: the execution is well-formed (guards, values, reads-from, orders, finals agree with the program
/// graph), satisfies every axiom, and shows exactly `state`. Else what is wrong, one sentence each. For
/// Ask::flag the execution must raise that flag too; its state is judged only where the engine gives its
/// values. Throws OutOfTime beyond the query's budget.
std::vector<std::string> recheck(const engine::Query& query, const engine::State& state);

}  // namespace ptxmc::check

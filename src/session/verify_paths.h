// SPDX-License-Identifier: Apache-2.0
// Accesses on ways that open contents decide, of which no contents lead to two that would race (kernel/paths.h).
#pragma once

#include <functional>
#include <memory>

#include "explain/verify/verified.h"
#include "kernel/paths.h"
#include "support/budget.h"

namespace ptxmc::session {

/// For kernel::Options::judge: one that asks a solver, as long as the budget lasts. What it cannot tell does not exclude itself.
std::function<std::unique_ptr<kernel::ConditionJudge>()> judge_by_solver(const Budget& budget);

/// A run with both ways would be a proof, were it not for races, and addresses that open contents decide; and it is worth the time
/// to ask which of the races may be, and where those addresses are.
bool may_be_excluded(const explain::Verified& verified);

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// Accesses on ways that open contents decide, of which no contents lead to two that would race (dynamic/exec/paths.h).
#pragma once

#include <functional>
#include <memory>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/paths.h"
#include "support/budget.h"

namespace ptxmc::session {

/// For exec::Options::judge: one that asks a solver, as long as the budget lasts. What it cannot tell does not exclude itself.
std::function<std::unique_ptr<exec::ConditionJudge>()> judge_by_solver(const Budget& budget);

/// A run with both ways would be a proof, were it not for races, and addresses that open contents decide; and it is worth the time
/// to ask which of the races may be, and where those addresses are.
bool may_be_excluded(const claim::VerifyResult& verified);

}  // namespace ptxmc::session

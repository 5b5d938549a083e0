// SPDX-License-Identifier: Apache-2.0
// A TermSolver that knows what is plain, and no more: other questions are open, and what rests on one is unknown.
#include "axiomatic/engine/terms.h"

#include <algorithm>

namespace ptxmc::engine {

struct TermSolver::Z3 {};

TermSolver::TermSolver(event::Symbols& symbols) : symbols_(symbols) {}
TermSolver::~TermSolver() = default;

TermSolver::Answer TermSolver::satisfiable(const std::vector<event::Expr>& truths, std::optional<double>) {
  const event::ExprPool& pool = symbols_.pool();
  core_.clear();
  for (std::size_t i = 0; i < truths.size(); ++i) {
    if (!pool.is_false(truths[i])) continue;
    core_ = {i};
    return Answer::no;
  }
  const bool plain =
      std::all_of(truths.begin(), truths.end(), [&](event::Expr truth) { return pool.is_true(truth); });
  return plain ? Answer::yes : Answer::unknown;
}

event::Valuation TermSolver::valuation() {
  return {};
}

std::optional<event::Value> TermSolver::forced(event::Expr, const std::vector<event::Expr>&,
                                               std::optional<double>, bool& undecided) {
  undecided = true;
  return std::nullopt;
}

}  // namespace ptxmc::engine

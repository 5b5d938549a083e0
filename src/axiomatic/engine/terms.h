// SPDX-License-Identifier: Apache-2.0
// TermSolver: do numbers for the terms exist under which some truth values hold? By Z3's bit-vectors and
// uninterpreted functions. The explicit engine decides by it; the smt engine has circuits of its own, and asks
// here only how a state reads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "axiomatic/event/symbolic_value.h"

namespace ptxmc::engine {

class TermSolver {
 public:
  enum class Answer : std::uint8_t { yes, no, unknown };

  /// Expressions are of `symbols`, which outlives the solver.
  explicit TermSolver(event::Symbols& symbols);
  ~TermSolver();
  TermSolver(const TermSolver&) = delete;
  TermSolver& operator=(const TermSolver&) = delete;

  /// Can all of them be true (expressions of width 1)? `seconds`: for this question.
  Answer satisfiable(const std::vector<event::Expr>& truths, std::optional<double> seconds);
  /// After `no`: some of them that cannot be true together, by their place in the list.
  const std::vector<std::size_t>& core() const { return core_; }
  /// After `yes`: such numbers.
  event::Valuation valuation();
  /// The number that e must have where all of `truths` are true, which they can be. `undecided` is set where the
  /// time for a question was not enough.
  std::optional<event::Value> forced(event::Expr e, const std::vector<event::Expr>& truths,
                                     std::optional<double> seconds, bool& undecided);

 private:
  struct Z3;
  event::Symbols& symbols_;
  std::unique_ptr<Z3> z3_;
  std::vector<std::size_t> core_;
};

}  // namespace ptxmc::engine

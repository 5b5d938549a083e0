// SPDX-License-Identifier: Apache-2.0
// Guards and their decisions: the parts of a program graph that control flow is made of; shared by lowering
// and base.
//
// A guard is a Boolean combination (and, or, xor, not, choice) of *leaves*: comparisons, which are the
// conditions of decisions. An assignment of the decisions therefore fixes every guard, whatever folding did
// to its shape.
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::event {

/// A truth value that is not itself a combination of truth values, nor constant.
bool is_leaf(const ExprPool& pool, Expr e);

/// The leaves that e (a truth value, or choices between constants by truth values) is made of, ascending.
std::vector<Expr> leaves(const ExprPool& pool, Expr e);

/// Value of e under a partial assignment, where a leaf is known through any decision that has it as its
/// condition. `pool` may be graph.exprs or a copy that has grown since.
std::optional<Value> evaluate_under(const ExprPool& pool, const std::vector<Decision>& decisions, Expr e,
                                    const Assignment& assignment);

/// A conjunction as its parts; a negative part is one whose negation was in the conjunction.
struct Literal {
  Expr atom;
  bool positive = true;
  friend auto operator<=>(const Literal&, const Literal&) = default;
};
std::vector<Literal> conjuncts(const ExprPool& pool, Expr guard);  ///< sorted
/// Some part of a contradicts some part of b: never both true. Cheap and incomplete.
bool exclude_each_other(const std::vector<Literal>& a, const std::vector<Literal>& b);

/// Some of `guards` is true. Two that differ in the sign of one part are one without it, and one that says more than
/// another is left out, so that nothing is left of a decision that makes no difference here.
Expr any_of(ExprPool& pool, const std::vector<Expr>& guards);

}  // namespace ptxmc::event

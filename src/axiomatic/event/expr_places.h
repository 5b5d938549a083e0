// SPDX-License-Identifier: Apache-2.0
// Addresses in normal form: the place of a variable plus a constant.
//
// What is known of places (Term) decides comparisons and differences of such sums where it can, whatever the
// numbers of the places: so programs that only add offsets to addresses see no unknown values.
#pragma once

#include <optional>

#include "axiomatic/event/expr.h"

namespace ptxmc::event {

/// The place `term`, zero-extended to `width`, plus `offset` (modulo 2^width).
struct PlaceSum {
  std::uint32_t term = 0;
  Value offset = 0;  // as a signed number
  Width width = 64;
};

/// e in that form; nothing when it has another one.
std::optional<PlaceSum> place_sum(const ExprPool& pool, Expr e);

/// The address is one of a byte of the variable.
bool inside(const Term& term, Value offset);

/// A place can have this number.
bool may_be_at(const Term& term, Value number);

/// Simplifies a node some operand of which is such a sum, as expr_fold.h says.
std::optional<Expr> fold_places(ExprPool& pool, const Node& node);

}  // namespace ptxmc::event

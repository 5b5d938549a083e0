// SPDX-License-Identifier: Apache-2.0
// Simplification of one expression node; internal to ExprPool.
#pragma once

#include <optional>

#include "axiomatic/event/expr.h"

namespace ptxmc::event {

/// Operands of commutative operations in a canonical order: constants to the right, else by index.
Node canonical(const ExprPool& pool, Node node);

/// A simpler expression equal to `node` (whose operands are already simplified), or nothing. One step:
/// results are built with pool.make and so are simplified in turn; every rule shrinks the expression or moves
/// it towards the canonical form, hence this ends.
std::optional<Expr> fold(ExprPool& pool, const Node& node);

}  // namespace ptxmc::event

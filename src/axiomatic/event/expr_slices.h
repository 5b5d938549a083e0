// SPDX-License-Identifier: Apache-2.0
// Values that were cut into pieces and put together again; internal to this folder.
#pragma once

#include <optional>

#include "axiomatic/event/expr.h"

namespace ptxmc::event {

/// a | b, of one fixed width, where they are neighbouring bits of one value: those bits of it.
std::optional<Expr> join_slices(ExprPool& pool, Expr a, Expr b);

/// A shift, mask or change of width that is neighbouring bits of some value: written in the one way in which they
/// are; nothing where it is.
std::optional<Expr> fold_slice(ExprPool& pool, const Node& node);

}  // namespace ptxmc::event

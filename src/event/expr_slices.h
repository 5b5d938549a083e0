// SPDX-License-Identifier: Apache-2.0
// Values that were cut into pieces and put together again; internal to this folder.
#pragma once

#include <optional>

#include "event/expr.h"

namespace ptxmc::event {

/// a | b, of one fixed width, where they are neighbouring bits of one value: those bits of it.
std::optional<Expr> join_slices(ExprPool& pool, Expr a, Expr b);

}  // namespace ptxmc::event

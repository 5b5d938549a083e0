// SPDX-License-Identifier: Apache-2.0
// Results of instructions on integers and bits that are no single operation (isa::Pure::bits), as expressions.
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/expr.h"
#include "ptx/isa/isa.h"

namespace ptxmc::lower {

struct IntegerResult {
  event::Expr value;
  std::optional<event::Expr> carry{};  // what goes to CC.CF
};

/// `sources` in the order of PTX, each of the width of its place; `carry`: CC.CF, where the instruction uses it.
IntegerResult integer_result(event::ExprPool& pool, isa::Opcode opcode, const isa::Modifiers& modifiers,
                             const std::vector<event::Expr>& sources, std::optional<event::Expr> carry);

}  // namespace ptxmc::lower

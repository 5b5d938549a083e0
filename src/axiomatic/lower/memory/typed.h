// SPDX-License-Identifier: Apache-2.0
// Values with the signedness that widening and printing need.
#pragma once

#include "axiomatic/event/expr.h"
#include "ptx/isa/isa.h"

namespace ptxmc::lower {

/// A register's or operand's value. Narrow values are widened when they are used, by their own signedness (a
/// .u32 load into a 64-bit register zero-extends, 9.4.1).
struct Typed {
  event::Expr expr;
  bool is_signed = true;
  bool written = true;  ///< false: a register that nothing has written; zero
};

/// Width of values of a type: its bits; 64-bit values are unbounded with Options::unbounded.
event::Width width_of(std::uint32_t bits, bool unbounded);

/// An unbounded width is wider than any other.
bool narrower(event::Width a, event::Width b);

/// value at `width`: truncated, or extended by its signedness.
event::Expr resize(event::ExprPool& pool, const Typed& value, event::Width width);

/// b where `take_b` holds, else a.
Typed merged(event::ExprPool& pool, const Typed& a, const Typed& b, event::Expr take_b);

/// a op b as a truth value, both of one width. Opposites share their node: a >= b is not (a < b).
event::Expr compare(event::ExprPool& pool, isa::Compare op, bool is_signed, event::Expr a, event::Expr b);

}  // namespace ptxmc::lower

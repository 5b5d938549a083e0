// SPDX-License-Identifier: Apache-2.0
// Values of matrix results: uninterpreted functions of their inputs. Nothing is known of them but that equal
// inputs give equal results, and different ones different results.
//
// An uninterpreted function is represented by a mixing of its arguments to 64 bits, built of multiplications
// with odd constants, additions and exclusive ors, so that every engine evaluates it as ordinary arithmetic.
// For each fixed argument it is a bijection of the other one; that two different pairs of arguments meet has
// a chance of 2^-64 (2^-32 where a register holds half of the result). Each argument occurs once, so that an
// engine that lists the values of every subexpression finds few.
#pragma once

#include <string_view>
#include <vector>

#include "event/expr.h"

namespace ptxmc::lower {

/// f(a, b), 64 bits each.
event::Expr mix(event::ExprPool& pool, event::Expr a, event::Expr b);

/// The 32 bits of a 64-bit result that depend on all of it.
event::Expr upper_half(event::ExprPool& pool, event::Expr e);

/// f(a1, a2, ...) for the function that `name` names; arguments of any width up to 64 bits.
event::Expr uninterpreted(event::ExprPool& pool, std::string_view name,
                          const std::vector<event::Expr>& arguments);

/// The contents of a piece of memory, part by part; parts that are zero count for nothing, so that it does
/// not matter how zeros are divided.
class Contents {
 public:
  explicit Contents(event::ExprPool& pool);
  /// `bytes` bytes (1, 2, 4, 8, or more of which `value` stands for all) at `begin` from the start.
  void add(std::int64_t begin, std::int64_t bytes, event::Expr value);
  event::Expr result() const { return sum_; }

 private:
  void add_part(std::int64_t number, event::Expr value);

  event::ExprPool& pool_;
  event::Expr sum_;
};

}  // namespace ptxmc::lower

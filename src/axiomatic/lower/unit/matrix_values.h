// SPDX-License-Identifier: Apache-2.0
// Values of matrix results: unknown functions of their inputs (Op::opaque). Equal inputs give equal results;
// nothing else is known of them, not even that different inputs give different ones.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "axiomatic/event/expr.h"

namespace ptxmc::lower {

/// Part b of a result a, 64 bits.
event::Expr part_of(event::ExprPool& pool, event::Expr a, event::Expr b);

/// 32 bits of a 64-bit result.
event::Expr upper_half(event::ExprPool& pool, event::Expr e);

/// f(a1, a2, ...), 64 bits, for the function that `name` names; arguments of any width up to 64 bits.
event::Expr uninterpreted(event::ExprPool& pool, std::string_view name,
                          const std::vector<event::Expr>& arguments);

/// The contents of a piece of memory, part by part; parts that are zero count for nothing, so that it does
/// not matter how zeros are divided.
class Contents {
 public:
  explicit Contents(event::ExprPool& pool) : pool_(pool) {}
  /// `bytes` bytes (1, 2, 4, 8, or more of which `value` stands for all) at `begin` from the start.
  void add(std::int64_t begin, std::int64_t bytes, event::Expr value);
  /// A value that lies at a place of which only the number counts.
  void add_part(std::int64_t number, event::Expr value);
  event::Expr result() const;

 private:
  event::ExprPool& pool_;
  std::map<std::int64_t, event::Expr> parts_;
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// What `.and`, `.or` and `.xor` make of a truth and a predicate.
Expr combined(event::ExprPool& pool, isa::BoolOp combine, Expr truth, Expr predicate);

/// setp and set (9.7.5).
class Comparisons : ThreadContext {
 public:
  explicit Comparisons(const ThreadContext& context) : ThreadContext(context) {}

  void set_predicate(const Instruction& instruction, State& state);
  void set_number(const Instruction& instruction, State& state);

 private:
  Expr comparison(const Instruction& instruction, const State& state, const std::string& part);

  Registers registers_{*this};
};

}  // namespace ptxmc::lower

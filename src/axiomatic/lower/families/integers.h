// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

class Integers : ThreadContext {
 public:
  explicit Integers(const ThreadContext& context) : ThreadContext(context) {}

  void move(const Instruction& instruction, State& state);
  void apply(const Instruction& instruction, State& state);
  void multiply(const Instruction& instruction, State& state);
  void look_up(const Instruction& instruction, State& state);
  void shift(const Instruction& instruction, State& state);
  void select(const Instruction& instruction, State& state);
  void convert(const Instruction& instruction, State& state);

 private:
  Expr source(const Instruction& instruction, const State& state, Role role, Width width);
  Expr binary(const Instruction& instruction, event::Op op, Width width, Expr a, Expr b);

  Registers registers_{*this};
  RegisterWords words_{*this};
};

}  // namespace ptxmc::lower

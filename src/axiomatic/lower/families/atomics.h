// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/spin_turn.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// What an atomic stores, from the value read and its (first) operand.
Expr combine(event::ExprPool& pool, const Instruction& instruction, const Access& access, Expr old,
             Expr value);

/// atom and red.
class Atomics : ThreadContext {
 public:
  explicit Atomics(const ThreadContext& context, SpinTurn& spin) : ThreadContext(context), spin_(spin) {}

  void atomic(const Instruction& instruction, State& state);

 private:
  Words atomic_at(const Instruction& instruction, State& state, const Target& target, std::size_t element,
                  bool only);

  SpinTurn& spin_;
  RegisterWords words_{*this};
  Accesses accesses_{*this};
};

}  // namespace ptxmc::lower

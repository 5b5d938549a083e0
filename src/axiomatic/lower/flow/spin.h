// SPDX-License-Identifier: Apache-2.0
// Pure spin loops (unit/loops.cpp says which): one turn, whose exit condition every execution satisfies. The exit
// is no guard and no decision; what follows depends on the values read all the same (finish/spins.cpp: link_exits).
// A loop that an mbarrier wait leaves is the wait that succeeds; when the loop may also be left otherwise,
// what the wait returns is free.
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/instructions.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/spin_turn.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

class SpinLoops : ThreadContext {
 public:
  SpinLoops(const ThreadContext& context, Instructions& instructions, SpinTurn& turn)
      : ThreadContext(context), instructions_(instructions), turn_(turn) {}

  /// The turn that leaves the loop. False: there is more to it than to spin; nothing has changed.
  bool leave(const Iteration& turn, State& state);

 private:
  /// What is known of a loop from earlier lowerings.
  struct Known {
    bool races = false;    // with something that an atomic of the loop is not atomic with (8.9.4)
    bool changes = false;  // an atomic of a turn that fails may change memory
  };
  bool leave_by_polls(const Loop& loop, State& state, Known known);
  bool leave_once(const Loop& loop, State& state, Known known);
  Expr since(Expr entry, Expr guard);
  Expr execute_turn(const Loop& loop, State& state);

  Registers registers_{*this};
  Instructions& instructions_;
  SpinTurn& turn_;
  // Conditions of the loop that is left (Unit::SpinEvents):
  Expr changes_;
  Expr leaves_;
};

}  // namespace ptxmc::lower

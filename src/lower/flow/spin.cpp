// SPDX-License-Identifier: Apache-2.0
#include "lower/flow/spin.h"

namespace ptxmc::lower {

bool SpinLoops::leave(const Loop& loop, State& state) {
  if (!body_.polls(loop)) return leave_once(loop, state);
  const Unit::Mark mark = unit_.mark();
  State trial = state;
  turn_.polls = SpinTurn::Polls::fail;
  const Expr leaves_loop = execute_turn(loop, trial);
  unit_.roll_back(mark);
  const bool needs_success = pool_.is_false(leaves_loop);
  turn_.polls = needs_success ? SpinTurn::Polls::succeed : SpinTurn::Polls::free;
  const bool done = leave_once(loop, state);
  turn_.polls = SpinTurn::Polls::free;
  return done;
}

/// Executes one turn; returns the condition under which it leaves the loop.
Expr SpinLoops::execute_turn(const Loop& loop, State& state) {
  const std::size_t exit = *loop.spin_exit;
  for (std::size_t i = loop.begin; i < exit; ++i) instructions_.execute(source_.code()[i], state);
  const Expr jumps = registers_.branch_condition(source_.code()[exit], state);
  return exit == loop.end ? pool_.negation(jumps) : jumps;
}

bool SpinLoops::leave_once(const Loop& loop, State& state) {
  const Unit::Mark mark = unit_.mark();
  State work = state;
  turn_.cas.reset();
  const Expr leaves_loop = execute_turn(loop, work);
  if (turn_.cas) {
    // A cas that succeeds writes: it may do so in the last turn only.
    const Expr writes_and_stays = pool_.conjunction(pool_.negation(leaves_loop), turn_.cas->success);
    if (!pool_.is_false(writes_and_stays)) {
      unit_.roll_back(mark);
      return false;
    }
    if (leaves_loop == turn_.cas->success) {
      graph_.events[turn_.cas->write].guard = state.guard;
      unit_.roll_back_decisions(mark);
    }
  }
  unit_.assume(leaves_loop, state.guard);
  state = std::move(work);
  return true;
}

}  // namespace ptxmc::lower

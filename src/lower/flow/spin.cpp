// SPDX-License-Identifier: Apache-2.0
#include "lower/flow/spin.h"

namespace ptxmc::lower {

bool SpinLoops::leave(std::size_t loop, State& state) {
  const std::size_t first = graph_.size();
  const bool may_race = unit_.tried.contains({thread_, loop});
  if (!leave_by_polls(body_.loops()[loop], state, may_race)) return false;
  unit_.spins.push_back({{thread_, loop}, first, graph_.size()});
  return true;
}

bool SpinLoops::leave_by_polls(const Loop& loop, State& state, bool may_race) {
  if (!body_.polls(loop)) return leave_once(loop, state, may_race);
  const Unit::Mark mark = unit_.mark();
  State trial = state;
  turn_.polls = SpinTurn::Polls::fail;
  const Expr leaves_loop = execute_turn(loop, trial);
  unit_.roll_back(mark);
  const bool needs_success = pool_.is_false(leaves_loop);
  turn_.polls = needs_success ? SpinTurn::Polls::succeed : SpinTurn::Polls::free;
  const bool done = leave_once(loop, state, may_race);
  turn_.polls = SpinTurn::Polls::free;
  return done;
}

/// Executes one turn; returns the condition under which it leaves the loop.
Expr SpinLoops::execute_turn(const Loop& loop, State& state) {
  const std::size_t exit = loop.spin->exit;
  for (const std::size_t i : loop.spin->turn) instructions_.execute(source_.code()[i], state);
  const Expr jumps = registers_.branch_condition(source_.code()[exit], state);
  return exit == loop.end ? pool_.negation(jumps) : jumps;
}

/// `may_race`: with something that an atomic of the loop is not atomic with (8.9.4); then one that writes what it read may
/// undo a write.
bool SpinLoops::leave_once(const Loop& loop, State& state, bool may_race) {
  const Unit::Mark mark = unit_.mark();
  State work = state;
  turn_.rmw.reset();
  const Expr leaves_loop = execute_turn(loop, work);
  if (turn_.rmw) {
    // What changes memory may do so in the last turn only.
    const Expr changes_and_stays = pool_.conjunction(pool_.negation(leaves_loop), turn_.rmw->changes);
    if (!pool_.is_false(changes_and_stays) || (turn_.rmw->rewrites && may_race)) {
      unit_.roll_back(mark);
      return false;
    }
    if (leaves_loop == turn_.rmw->changes) {
      graph_.events[turn_.rmw->write].guard = state.guard;
      unit_.roll_back_decisions(mark);
    }
  }
  unit_.assume(leaves_loop, state.guard);
  state = std::move(work);
  return true;
}

}  // namespace ptxmc::lower

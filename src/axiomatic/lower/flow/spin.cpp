// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/flow/spin.h"

#include <algorithm>

#include "axiomatic/event/guards.h"

namespace ptxmc::lower {

bool SpinLoops::leave(const Iteration& turn, State& state) {
  const std::size_t first = graph_.size();
  const ThreadLoop here{thread_, turn.loop};
  const Expr failed = since(turn.entry_guard, state.guard);
  changes_ = pool_.truth(false);
  const Known known{unit_.tried.contains(here), unit_.unrolled.contains(here)};
  if (!leave_by_polls(body_.loops()[turn.loop], state, known)) return false;
  unit_.spins.push_back({here, first, graph_.size(), changes_, pool_.conjunction(failed, leaves_)});
  return true;
}

/// What `guard` says that `entry` did not: that earlier turns have failed.
Expr SpinLoops::since(Expr entry, Expr guard) {
  const auto before = event::conjuncts(pool_, entry);
  Expr out = pool_.truth(true);
  for (const auto& [atom, positive] : event::conjuncts(pool_, guard)) {
    const event::Literal literal{atom, positive};
    if (!std::binary_search(before.begin(), before.end(), literal))
      out = pool_.conjunction(out, positive ? atom : pool_.negation(atom));
  }
  return out;
}

bool SpinLoops::leave_by_polls(const Loop& loop, State& state, Known known) {
  if (!body_.polls(loop)) return leave_once(loop, state, known);
  const Unit::Mark mark = unit_.mark();
  State trial = state;
  turn_.polls = SpinTurn::Polls::fail;
  const Expr leaves_loop = execute_turn(loop, trial);
  unit_.roll_back(mark);
  const bool needs_success = pool_.is_false(leaves_loop);
  turn_.polls = needs_success ? SpinTurn::Polls::succeed : SpinTurn::Polls::free;
  const bool done = leave_once(loop, state, known);
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

/// An atomic that writes what it read may undo a write that it is not atomic with.
bool SpinLoops::leave_once(const Loop& loop, State& state, Known known) {
  const Unit::Mark mark = unit_.mark();
  State work = state;
  turn_.rmw.reset();
  const Expr leaves_loop = execute_turn(loop, work);
  if (turn_.rmw) {
    // What changes memory may do so in the last turn only.
    const Expr changes_and_stays = pool_.conjunction(pool_.negation(leaves_loop), turn_.rmw->changes);
    const bool may_change = !pool_.is_false(changes_and_stays);
    if ((may_change && known.changes) || (turn_.rmw->rewrites && known.races)) {
      unit_.roll_back(mark);
      return false;
    }
    changes_ = changes_and_stays;
    if (leaves_loop == turn_.rmw->changes) {
      graph_.events[turn_.rmw->write].guard = state.guard;
      unit_.roll_back_decisions(mark);
    }
  }
  unit_.assume(leaves_loop, state.guard);
  leaves_ = leaves_loop;
  state = std::move(work);
  return true;
}

}  // namespace ptxmc::lower

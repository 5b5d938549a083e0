// SPDX-License-Identifier: Apache-2.0
// Pure spin loops (loops.cpp says which): one turn, whose exit condition every execution satisfies. The exit
// is no guard and no decision: what follows does not depend on the values read (base.md: dep).
#include "lower/thread.h"

namespace ptxmc::lower {

bool ThreadLowering::spin(const Loop& loop, State& state) {
  const Unit::Mark mark = unit_.mark();
  const std::size_t exit = *loop.spin_exit;
  State work = state;
  last_cas_.reset();
  for (std::size_t i = loop.begin; i < exit; ++i) execute(source_.code[i], work);
  Expr leaves_loop = branch_condition(source_.code[exit], work);
  if (exit == loop.end) leaves_loop = unit_.pool().negation(leaves_loop);
  if (last_cas_) {
    // A cas that succeeds writes: it may do so in the last turn only.
    const Expr writes_and_stays =
        unit_.pool().conjunction(unit_.pool().negation(leaves_loop), last_cas_->success);
    if (!unit_.pool().is_false(writes_and_stays)) {
      unit_.roll_back(mark);
      return false;
    }
    if (leaves_loop == last_cas_->success) {
      unit_.graph.events[last_cas_->write].guard = state.guard;
      unit_.roll_back_decisions(mark);
    }
  }
  unit_.assume(leaves_loop, state.guard);
  state = std::move(work);
  return true;
}

}  // namespace ptxmc::lower

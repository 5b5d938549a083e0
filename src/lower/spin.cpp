// SPDX-License-Identifier: Apache-2.0
// Pure spin loops (loops.cpp says which): one turn, whose exit condition every execution satisfies. The exit
// is no guard and no decision: what follows does not depend on the values read (base.md: dep).
// A loop that an mbarrier wait leaves is the wait that succeeds; when the loop may also be left otherwise,
// what the wait returns is free.
#include <algorithm>

#include "lower/thread.h"

namespace ptxmc::lower {

namespace {

bool is_poll(isa::Opcode opcode) {
  return opcode == isa::Opcode::mbarrier_test_wait || opcode == isa::Opcode::mbarrier_try_wait;
}

}  // namespace

bool ThreadLowering::polls(const Loop& loop) const {
  return std::any_of(source_.code().begin() + static_cast<std::ptrdiff_t>(loop.begin),
                     source_.code().begin() + static_cast<std::ptrdiff_t>(loop.end) + 1,
                     [](const Instruction& instruction) { return is_poll(instruction.opcode); });
}

/// Nothing in the loop depends on memory but its mbarrier waits.
bool ThreadLowering::only_polls(const Loop& loop) const {
  if (!polls(loop)) return false;
  for (std::size_t i = loop.begin; i <= loop.end; ++i) {
    const isa::Opcode opcode = source_.code()[i].opcode;
    if (opcode == isa::Opcode::ld || opcode == isa::Opcode::atom || opcode == isa::Opcode::api_call)
      return false;
  }
  return true;
}

bool ThreadLowering::spin(const Loop& loop, State& state) {
  if (!polls(loop)) return spin_once(loop, state);
  const Unit::Mark mark = unit_.mark();
  State trial = state;
  const std::size_t exit = *loop.spin_exit;
  polls_ = Polls::fail;
  for (std::size_t i = loop.begin; i < exit; ++i) execute(source_.code()[i], trial);
  Expr leaves_loop = branch_condition(source_.code()[exit], trial);
  if (exit == loop.end) leaves_loop = unit_.pool().negation(leaves_loop);
  unit_.roll_back(mark);
  const bool needs_success = unit_.pool().is_false(leaves_loop);
  polls_ = needs_success ? Polls::succeed : Polls::free;
  const bool done = spin_once(loop, state);
  polls_ = Polls::free;
  return done;
}

bool ThreadLowering::spin_once(const Loop& loop, State& state) {
  const Unit::Mark mark = unit_.mark();
  const std::size_t exit = *loop.spin_exit;
  State work = state;
  last_cas_.reset();
  for (std::size_t i = loop.begin; i < exit; ++i) execute(source_.code()[i], work);
  Expr leaves_loop = branch_condition(source_.code()[exit], work);
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

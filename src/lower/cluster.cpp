// SPDX-License-Identifier: Apache-2.0
// barrier.cluster (9.7.12.3): an arrival and, apart from it, a wait, of all threads of the cluster. Release
// and acquire at cluster scope unless `.relaxed` (R178, R179, D23). fence.mbarrier_init: a release fence for
// the mbarrier.init of the thread alone (R185, D24); the model text says what it is good for.
#include <utility>

#include "lower/thread.h"

namespace ptxmc::lower {

using event::Event;
using event::EventKind;
using event::Expr;
using isa::Opcode;

void ThreadLowering::cluster_barrier(const Instruction& instruction, State& state) {
  const bool wait = instruction.opcode == Opcode::cluster_wait;
  Event event =
      new_event(wait ? EventKind::wait : EventKind::arrival, instruction, event_guard(instruction, state));
  if (instruction.modifiers.aligned) note_converged(instruction, event.guard, std::nullopt);
  event.labels.semantics = instruction.modifiers.semantics;
  event.labels.scope = isa::Scope::cluster;
  event.barrier.emplace();
  event.barrier->cluster = true;
  event.barrier->id = unit_.pool().constant(0, unit_.word());
  if (wait && unit_.options.liveness) return block_wait(std::move(event), state);
  unit_.add_event(std::move(event));
}

void ThreadLowering::fence_mbarrier_init(const Instruction& instruction, State& state) {
  Event event = new_event(EventKind::fence, instruction, event_guard(instruction, state));
  event.labels.semantics = isa::Semantics::release;
  event.labels.scope = isa::Scope::cluster;
  event.labels.init_only = true;
  unit_.add_event(std::move(event));
}

/// A wait that may wait for ever (liveness): then an `end` event stands for it, which carries its operands.
void ThreadLowering::block_wait(Event wait, State& state) {
  if (passes(unit_.options, thread_)) {
    unit_.add_event(std::move(wait));
    return;
  }
  auto& pool = unit_.pool();
  const Expr guard = wait.guard;
  const Expr blocks = unit_.oracles.is(unit_, {OracleKey::Kind::wait, unit_.barrier_waits++}, 0);
  unit_.decide(thread_, blocks, guard);
  const Expr here = pool.conjunction(guard, blocks);
  Event end = wait;
  end.kind = EventKind::end;
  end.guard = here;
  end.labels = {};
  const event::EventId id = unit_.add_event(std::move(end));
  unit_.graph.hangs.push_back({event::Hang::Kind::phase, thread_, id, here, {}, wait.position});
  wait.guard = pool.conjunction(guard, pool.negation(blocks));
  unit_.add_event(std::move(wait));
  hold(state, here, std::nullopt);
}

}  // namespace ptxmc::lower

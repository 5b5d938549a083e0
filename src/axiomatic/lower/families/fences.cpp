// SPDX-License-Identifier: Apache-2.0
// Fences (9.7.12.4). fence.mbarrier_init: a release fence for the mbarrier.init of the thread alone (R185, D24); the
// model text says what it is good for.
#include "axiomatic/lower/families/fences.h"

#include <utility>

namespace ptxmc::lower {

using isa::Opcode;

void Fences::fence_mbarrier_init(const Instruction& instruction, State& state) {
  Event event = new_event(EventKind::fence, instruction, registers_.event_guard(instruction, state));
  event.labels.semantics = isa::Semantics::release;
  event.labels.scope = isa::Scope::cluster;
  event.labels.init_only = true;
  unit_.add_event(std::move(event));
}

void Fences::fence(const Instruction& instruction, State& state) {
  if (instruction.modifiers.proxy == isa::Proxy::tensormap) return maps_.fence_maps(instruction, state);
  const Expr guard = registers_.event_guard(instruction, state);
  const bool proxy = instruction.opcode == Opcode::fence_proxy;
  Event event = new_event(proxy ? EventKind::proxy_fence : EventKind::fence, instruction, guard);
  if (proxy) {
    event.labels.proxy = instruction.modifiers.proxy;
    event.labels.space = instruction.modifiers.space;
    event.labels.semantics = instruction.modifiers.semantics;  // weak: in both directions
    event.labels.scope = instruction.modifiers.scope;
    event.labels.reads_only = instruction.modifiers.reads_only;
  } else {
    event.labels.semantics = instruction.modifiers.semantics;
    event.labels.scope = instruction.modifiers.scope;
    event.labels.space = instruction.modifiers.space;  // .sync_restrict
  }
  unit_.add_event(std::move(event));
}

}  // namespace ptxmc::lower

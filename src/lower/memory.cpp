// SPDX-License-Identifier: Apache-2.0
// ld and st (9.7.8.8, 9.7.8.11), and fences (9.7.12.4).
#include "isa/opcode.h"
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using isa::Opcode;
using isa::Semantics;
using isa::Space;

void ThreadLowering::check_host(const Instruction& instruction) const {
  if (!info_.host) return;
  const isa::Modifiers& m = instruction.modifiers;
  switch (isa::traits(instruction.opcode).family) {
    case isa::Family::barrier:
    case isa::Family::mbarrier:
      fail(instruction.position, "a host thread has no barrier");
    case isa::Family::async_copy:
      fail(instruction.position, "a host thread has no asynchronous operations of a device");
    case isa::Family::fence:
      if (instruction.opcode == Opcode::fence_proxy) return;  // has no effect there
      break;
    case isa::Family::memory:
      break;
    default:
      return;
  }
  const bool system = m.semantics == Semantics::volatile_ || m.semantics == Semantics::mmio ||
                      m.semantics == Semantics::weak || m.scope == isa::Scope::sys;
  if (!system) {
    fail(instruction.position,
         "a host thread is in scope sys only, found scope " + std::string(name_of(m.scope)));
  }
  if (m.proxy != isa::Proxy::generic) fail(instruction.position, "a host thread uses the generic proxy only");
}

Event ThreadLowering::new_event(EventKind kind, const Instruction& instruction, Expr guard) const {
  Event event;
  event.kind = kind;
  event.thread = thread_;
  event.guard = guard;
  event.position = instruction.position;
  event.text = instruction.text;
  return event;
}

void ThreadLowering::load(const Instruction& instruction, State& state) {
  std::vector<Target> places = targets(instruction, operand_at(instruction, 1), state);
  if (places.empty()) return;  // no address is one of this instruction: out of bounds
  std::vector<Words> values;
  for (const Target& place : places) {
    const auto first = static_cast<EventId>(unit_.graph.size());
    Words words;
    for (const Access& scalar : place.scalars) {
      EventId id = event::kNoEvent;
      const Words value =
          add_read(access_event(EventKind::read, instruction, place.guard, scalar), scalar, id);
      words.insert(words.end(), value.begin(), value.end());
    }
    if (whole_vector(instruction)) {
      const Access& whole = place.scalars.front();
      words = divided(words, whole, element_of(instruction, whole));
    }
    if (place.scalars.size() > 1) join_vector(first);
    values.push_back(std::move(words));
  }
  const Access element = element_of(instruction, places.front().scalars.front());
  write_words(state, instruction, operand_at(instruction, 0), choose(places, values, element), element);
}

void ThreadLowering::store(const Instruction& instruction, State& state) {
  for (const Target& place : targets(instruction, operand_at(instruction, 0), state)) {
    const Access& whole = place.scalars.front();
    const Access element = element_of(instruction, whole);
    Words words = stored_words(instruction, state, operand_at(instruction, 1), element);
    if (whole_vector(instruction)) words = joined(words, element, whole);
    const auto first = static_cast<EventId>(unit_.graph.size());
    for (std::size_t i = 0; i < place.scalars.size(); ++i) {
      const Access& scalar = place.scalars[i];
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(i * scalar.words);
      add_write(access_event(EventKind::write, instruction, place.guard, scalar), scalar,
                Words(from, from + static_cast<std::ptrdiff_t>(scalar.words)));
    }
    if (place.scalars.size() > 1) join_vector(first);
  }
}

void ThreadLowering::fence(const Instruction& instruction, State& state) {
  if (instruction.modifiers.proxy == isa::Proxy::tensormap) return fence_maps(instruction, state);
  const Expr guard = event_guard(instruction, state);
  const bool proxy = instruction.opcode == Opcode::fence_proxy;
  Event event = new_event(proxy ? EventKind::proxy_fence : EventKind::fence, instruction, guard);
  if (proxy) {
    event.labels.proxy = instruction.modifiers.proxy;
    event.labels.space = instruction.modifiers.space;
    event.labels.semantics = instruction.modifiers.semantics;  // weak: in both directions
    event.labels.scope = instruction.modifiers.scope;
  } else {
    event.labels.semantics = instruction.modifiers.semantics;
    event.labels.scope = instruction.modifiers.scope;
  }
  unit_.add_event(std::move(event));
}

}  // namespace ptxmc::lower

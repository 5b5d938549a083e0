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
    case isa::Family::grid:
      fail(instruction.position, "a host thread is in no grid");
    case isa::Family::arithmetic:
    case isa::Family::control:
    case isa::Family::exchange:
    case isa::Family::matrix:
    case isa::Family::tensor:
    case isa::Family::api:
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
  event.opcode = instruction.opcode;
  event.spelling = instruction.spelling;
  event.bulk = instruction.modifiers.bulk;
  event.position = instruction.position;
  event.text = instruction.text;
  return event;
}

void ThreadLowering::load(const Instruction& instruction, State& state) {
  std::vector<Target> places = targets(instruction, instruction.operand(Role::address), state);
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
  Words words = choose(places, values, element);
  if (const auto known = constant_word(instruction, state))
    words = {resize(unit_.pool(), {*known}, element.width)};
  write_words(state, instruction, instruction.operand(Role::result), words, element);
}

/// What a load of one element of .const or .param memory returns: nothing writes it. So pointers that are
/// parameters of the kernel are as good as the variables that they point to.
std::optional<Expr> ThreadLowering::constant_word(const Instruction& instruction, const State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& operand = instruction.operand(Role::address);
  const auto& written = std::get<program::Address>(operand.value);
  if (m.vector > 1 || m.packed != isa::Packed::none) return std::nullopt;
  std::optional<Location> place;
  if (!written.variable.empty()) {
    place = base_location(operand);
  } else {
    const Expr base = base_register(state, written, operand.position);
    if (unit_.places.is_fixed(unit_.pool(), base)) place = located(base, operand);
  }
  if (!place) return std::nullopt;
  const Layout& layout = unit_.layout;
  const Space space = layout.space(place->variable);
  const std::int64_t size = layout.stride(place->variable);
  const bool whole = place->offset % size == 0 && size <= 8 && (!m.type || m.type->bits == size * 8);
  const VariableId root = layout.root(place->variable);
  if ((space != Space::const_ && space != Space::param) || !whole || layout.variable(root).map)
    return std::nullopt;
  return initial_element(unit_, root, place->offset / size);
}

void ThreadLowering::store(const Instruction& instruction, State& state) {
  for (const Target& place : targets(instruction, instruction.operand(Role::address), state)) {
    const Access& whole = place.scalars.front();
    const Access element = element_of(instruction, whole);
    Words words = stored_words(instruction, state, instruction.operand(Role::value), element);
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

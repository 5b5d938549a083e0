// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/mbarrier_places.h"

#include "finding/rules.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::lower {

using event::MbarrierOp;
using event::Op;
using isa::Opcode;

namespace {

constexpr std::uint32_t kObject = 8;  // bytes, and its alignment (R192)

}  // namespace

bool returns_state(const Instruction& instruction) {
  const Operand* state = instruction.find(Role::result);
  const bool arrive =
      instruction.opcode == Opcode::mbarrier_arrive || instruction.opcode == Opcode::mbarrier_arrive_drop;
  return arrive && !std::holds_alternative<program::Sink>(state->value);
}

/// The object at a location; nothing when it can be none. `required`: that is an error.
std::optional<MbarrierPlace> MbarrierPlaces::mbarrier_place(const Instruction& instruction,
                                                            const Operand& operand, const Location& location,
                                                            bool required) {
  const VariableId root = layout_.root(location.variable);
  const std::string& name = layout_.variable(location.variable).name;
  std::string wrong;
  const bool sized = layout_.frozen() || layout_.type(root) || layout_.is_array(root);
  const bool elsewhere = location.cta && *location.cta != info_.cta;
  const bool remote = isa::traits(instruction.opcode).has(isa::Trait::remote);
  if (!layout_.is_shared(root)) {
    wrong = "an mbarrier object is in .shared memory, " + name + " is not";
  } else if (location.offset < 0 || location.offset % kObject != 0) {
    wrong = "misaligned mbarrier object: offset " + std::to_string(location.offset) + " of " + name +
            " is no multiple of 8 bytes";
  } else if (elsewhere && returns_state(instruction)) {
    wrong = kNoState;
  } else if (elsewhere && !remote && instruction.opcode != Opcode::nop) {
    wrong = "`" + instruction.text +
            "` acts on an mbarrier object of another CTA; only arrive, expect_tx, complete_tx "
            "and asynchronous operations may";
  } else {
    layout_.note_access(location.variable, kObject, kObject);
    if (sized && location.offset + kObject > layout_.extent(root)) {
      wrong = "8 bytes at offset " + std::to_string(location.offset) + " are outside of " + name;
    } else {
      wrong = layout_.too_little_alignment(root, kObject);
    }
  }
  if (wrong.empty()) {
    if (required) addresses_.check_space(instruction, location, operand.position);
    if (required || addresses_.reachable(instruction, location)) {
      return MbarrierPlace{pool_.truth(true), pool_.truth(true), layout_.address(root) + location.offset,
                           location.cta.value_or(info_.cta)};
    }
  }
  if (required) fail(operand.position, wrong);
  return std::nullopt;
}

/// The objects that an operand may name, with the guards of the operations on them.
std::vector<MbarrierPlace> MbarrierPlaces::mbarrier_places(const Instruction& instruction,
                                                           const Operand& operand, const State& state) {
  auto [location, base, address] = addresses_.named_place(instruction, operand, state);
  if (!location && unit_.places.is_fixed(pool_, base)) location = addresses_.located(base, operand);
  const Expr guard = registers_.event_guard(instruction, state);
  if (location) {
    MbarrierPlace only = *mbarrier_place(instruction, operand, *location, true);
    only.guard = guard;
    return {only};
  }
  std::vector<MbarrierPlace> found;
  Expr rest = guard;
  const std::size_t number = unit_.reach.start();
  for (const event::Value value : possible_addresses(pool_, layout_, unit_.places, address, kObject)) {
    if (unit_.reach.excluded(number, value)) continue;
    auto place = mbarrier_place(instruction, operand, *layout_.locate(value), false);
    const Expr here = pool_.make(Op::eq, 1, address, unit_.places.at(pool_, value, unit_.word()));
    if (!place || pool_.is_false(here)) continue;
    unit_.decide(thread_, here, rest);
    place->here = here;
    place->guard = pool_.conjunction(rest, here);
    unit_.reach.note(number, value, place->guard, here);
    rest = pool_.conjunction(rest, pool_.negation(here));
    found.push_back(*place);
  }
  if (!pool_.is_false(rest)) {
    misuse(finding::RuleId::out_of_bounds, rest, instruction);
  }
  return found;
}

Event MbarrierPlaces::mbarrier_event(EventKind kind, MbarrierOp op, const Instruction& instruction,
                                     const MbarrierPlace& place) {
  Event event = new_event(kind, instruction, place.guard);
  event.labels.semantics = instruction.modifiers.semantics;
  event.labels.scope = instruction.modifiers.scope;
  event.mbarrier.emplace();
  event.mbarrier->op = op;
  event.mbarrier->object = pool_.constant(place.object, unit_.word());
  event.mbarrier->owner = place.owner;
  if (layout_.frozen()) {
    const auto location = layout_.locate(place.object);
    event.named =
        layout_.covering({layout_.root(location->variable), place.owner}, {location->offset, kObject});
  }
  return event;
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// ld and st (9.7.8.8, 9.7.8.11), and fences (9.7.12.4). Addresses are constants; accesses cover one cell
// each.
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

namespace {

bool is_shared_space(Space space) {
  return space == Space::shared || space == Space::shared_cta || space == Space::shared_cluster;
}

}  // namespace

void ThreadLowering::check_host(const Instruction& instruction) const {
  if (!info_.host) return;
  const isa::Modifiers& m = instruction.modifiers;
  switch (instruction.opcode) {
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
    case Opcode::bar_red:
      fail(instruction.position, "a host thread has no barrier");
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::fence:
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

Location ThreadLowering::locate(const Instruction& instruction, const Operand& operand, const State& state) {
  const auto* address = std::get_if<litmus::Address>(&operand.value);
  if (!address) fail(operand.position, "expected an address in `" + instruction.text + "`");
  if (!address->variable.empty()) {
    return {unit_.layout.find(address->variable, operand.position), address->offset};
  }
  const Expr base = read_number(state, address->base_register, unit_.word(), operand.position);
  if (!unit_.pool().is_constant(base)) {
    unit_.errors.unsupported(operand.position,
                             "address from a register that is not constant: " + address->base_register);
  }
  const auto location = unit_.layout.locate(unit_.pool()[base].constant);
  if (!location) {
    fail(operand.position, "register " + address->base_register + " holds no address of a variable");
  }
  return {location->variable, location->offset + address->offset};
}

void ThreadLowering::check_space(const Instruction& instruction, VariableId id, Position position) const {
  const Space space = instruction.modifiers.space;
  const std::string& name = unit_.layout.variable(id).name;
  if (space == Space::const_ || space == Space::local || space == Space::param) {
    unit_.errors.unsupported(instruction.position, "." + std::string(isa::name_of(space)) + " accesses");
  }
  const bool shared = unit_.layout.is_shared(id);
  if (info_.host && shared) fail(position, "a host thread cannot access .shared variable " + name);
  if (space == Space::global && shared)
    fail(position, "variable " + name + " is .shared, the access is .global");
  if (is_shared_space(space) && !shared) {
    fail(position, "variable " + name + " is .global, the access is ." + std::string(isa::name_of(space)));
  }
}

ThreadLowering::Access ThreadLowering::access(const Instruction& instruction, const Operand& operand,
                                              const State& state) {
  const Location location = locate(instruction, operand, state);
  Layout& layout = unit_.layout;
  const VariableId id = location.variable;
  const isa::Proxy proxy = instruction.modifiers.proxy, own = layout.variable(id).alias_proxy;
  if (own != isa::Proxy::generic && own != proxy) {
    fail(operand.position, layout.variable(id).name + " is a name of the " + std::string(isa::name_of(own)) +
                               " proxy, the access is of the " + std::string(isa::name_of(proxy)) + " proxy");
  }
  check_space(instruction, id, operand.position);
  if (instruction.modifiers.type) {
    layout.note_access(id, instruction.modifiers.type->bits, instruction.position, instruction.text);
  }
  const auto stride = static_cast<std::int64_t>(layout.bits(id) / 8);
  const std::int64_t elements = layout.variable(layout.root(id)).elements;
  if (location.offset < 0 || location.offset >= elements * stride) {
    fail(operand.position,
         "offset " + std::to_string(location.offset) + " is outside of " + layout.variable(id).name);
  }
  if (location.offset % stride != 0) {
    unit_.errors.unsupported(operand.position, "partial overlap of elements of " + layout.variable(id).name);
  }
  const auto element = static_cast<std::uint32_t>(location.offset / stride);
  const isa::Type untyped{isa::TypeClass::signed_, 64};
  const isa::Type type = instruction.modifiers.type.value_or(layout.type(id).value_or(untyped));
  return {layout.cell(id, element, info_.cta), id, type.is_signed(), layout.width(id)};
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

Event ThreadLowering::access_event(EventKind kind, const Instruction& instruction, Expr guard,
                                   const Access& access) {
  Event event = new_event(kind, instruction, guard);
  const isa::Modifiers& m = instruction.modifiers;
  event.cell = access.cell;
  event.labels.semantics = m.semantics;
  const bool system =
      m.semantics == Semantics::volatile_ || m.semantics == Semantics::mmio;  // 8.4: relaxed.sys
  event.labels.scope = m.semantics == Semantics::weak ? isa::Scope::none : system ? isa::Scope::sys : m.scope;
  event.labels.proxy = m.proxy;
  event.labels.space = unit_.layout.is_shared(access.name) ? Space::shared : Space::global;
  event.labels.name = access.name;
  event.labels.generic_name = unit_.layout.generic_name(access.name);
  return event;
}

Expr ThreadLowering::add_read(Event read, const Access& access, EventId& id) {
  id = static_cast<EventId>(unit_.graph.size());
  read.value = unit_.pool().value_of(id, access.width);
  return unit_.graph.events[unit_.add_event(std::move(read))].value;
}

void ThreadLowering::load(const Instruction& instruction, State& state) {
  const Access place = access(instruction, operand_at(instruction, 1), state);
  const Expr guard = event_guard(instruction, state);
  EventId id = event::kNoEvent;
  const Expr value = add_read(access_event(EventKind::read, instruction, guard, place), place, id);
  write_register(state, instruction, operand_at(instruction, 0), {value, place.is_signed});
}

void ThreadLowering::store(const Instruction& instruction, State& state) {
  const Access place = access(instruction, operand_at(instruction, 0), state);
  const Expr guard = event_guard(instruction, state);
  Event write = access_event(EventKind::write, instruction, guard, place);
  write.value = operand(state, operand_at(instruction, 1), place.width);
  unit_.add_event(std::move(write));
}

void ThreadLowering::fence(const Instruction& instruction, State& state) {
  const Expr guard = event_guard(instruction, state);
  const bool proxy = instruction.opcode == Opcode::fence_proxy;
  Event event = new_event(proxy ? EventKind::proxy_fence : EventKind::fence, instruction, guard);
  if (proxy) {
    event.labels.proxy = instruction.modifiers.proxy;
  } else {
    event.labels.semantics = instruction.modifiers.semantics;
    event.labels.scope = instruction.modifiers.scope;
  }
  unit_.add_event(std::move(event));
}

}  // namespace ptxmc::lower

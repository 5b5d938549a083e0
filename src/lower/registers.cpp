// SPDX-License-Identifier: Apache-2.0
// Registers and operands of one thread.
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Expr;
using event::Width;

void ThreadLowering::fail(Position position, const std::string& message) const {
  unit_.errors.fail(position, message);
}

Typed ThreadLowering::read_register(const State& state, const std::string& name) const {
  return state.registers[register_index(name)];
}

Expr ThreadLowering::read_number(const State& state, const std::string& name, Width width,
                                 Position position) {
  const Typed value = read_register(state, name);
  if (!value.written) return unit_.pool().constant(0, width);
  if (unit_.pool()[value.expr].width == 1)
    fail(position, "register " + name + " is a predicate, expected a number");
  return resize(unit_.pool(), value, width);
}

/// The register of an address. "Addresses are zero-extended to the specified width as needed" (6.4.1).
Expr ThreadLowering::base_register(const State& state, const program::Address& address, Position position) {
  const Width held = unit_.pool()[read_register(state, address.base_register).expr].width;
  const Expr base = read_number(state, address.base_register, held == 1 ? unit_.word() : held, position);
  return resize(unit_.pool(), {base, false}, unit_.word());
}

Expr ThreadLowering::read_predicate(const State& state, const std::string& name, bool negated,
                                    Position position) {
  const Typed value = read_register(state, name);
  Expr truth = unit_.pool().truth(false);
  if (value.written) {
    if (unit_.pool()[value.expr].width != 1) fail(position, "register " + name + " is not a predicate");
    truth = value.expr;
  }
  return negated ? unit_.pool().negation(truth) : truth;
}

Expr ThreadLowering::operand(const State& state, const Operand& operand, Width width) {
  if (const auto* r = std::get_if<program::Register>(&operand.value)) {
    return read_number(state, r->name, width, operand.position);
  }
  if (const auto* integer = std::get_if<program::Integer>(&operand.value)) {
    return unit_.pool().constant(integer->value, width);
  }
  if (const auto* address = std::get_if<program::AddressOf>(&operand.value)) {
    const VariableId id = unit_.layout.find(address->variable, operand.position);
    if (narrower(width, 32))
      fail(operand.position, "the address of " + address->variable + " needs 32 or 64 bits");
    unit_.layout.use_address(id);
    return unit_.places.address(unit_.pool(), {id, std::nullopt}, width);
  }
  fail(operand.position, "expected a register, a constant or the address of a variable");
}

Expr ThreadLowering::predicate_operand(const State& state, const Operand& operand) {
  if (const auto* r = std::get_if<program::Register>(&operand.value)) {
    return read_predicate(state, r->name, false, operand.position);
  }
  if (const auto* r = std::get_if<program::NegatedRegister>(&operand.value)) {
    return read_predicate(state, r->name, true, operand.position);
  }
  if (const auto* integer = std::get_if<program::Integer>(&operand.value)) {
    return unit_.pool().truth(integer->value != 0);
  }
  fail(operand.position, "expected a predicate register");
}

void ThreadLowering::write_register(State& state, const Instruction& instruction, const Operand& destination,
                                    Typed value) {
  if (std::holds_alternative<program::Sink>(destination.value)) return;
  const auto* r = std::get_if<program::Register>(&destination.value);
  if (!r) fail(destination.position, "expected a destination register");
  write_named(state, instruction, r->name, destination.position, value);
}

void ThreadLowering::write_named(State& state, const Instruction& instruction, const std::string& name,
                                 Position position, Typed value) {
  if (const auto declared = declared_.find(name); declared != declared_.end()) {
    const isa::Type& type = declared->second;
    const Width width = type.bits == 128 ? unit_.word() : width_of(type.bits, unit_.options.unbounded);
    const Width from = unit_.pool()[value.expr].width;
    if ((type.cls == isa::TypeClass::predicate) != (from == 1)) {
      fail(position, "register " + name + (from == 1 ? " is not a predicate" : " is a predicate"));
    }
    if (narrower(width, from)) fail(position, "register " + name + " is too narrow for this instruction");
    value.expr = resize(unit_.pool(), value, width);
    if (type.cls == isa::TypeClass::signed_) value.is_signed = true;
    if (type.cls == isa::TypeClass::unsigned_) value.is_signed = false;
  }
  Typed& target = state.registers[register_index(name)];
  const Expr executed = predicate(instruction, state);
  value.written = true;
  target = unit_.pool().is_true(executed) ? value : merge(target, value, executed);
}

Expr ThreadLowering::predicate(const Instruction& instruction, const State& state) {
  if (!instruction.guard) return unit_.pool().truth(true);
  return read_predicate(state, instruction.guard->reg, instruction.guard->negated, instruction.position);
}

Expr ThreadLowering::event_guard(const Instruction& instruction, const State& state) {
  const Expr executed = predicate(instruction, state);
  unit_.decide(thread_, executed, state.guard);
  return unit_.pool().conjunction(state.guard, executed);
}

Width ThreadLowering::operation_width(const Instruction& instruction) const {
  if (!instruction.modifiers.type) return unit_.word();
  return width_of(instruction.modifiers.type->bits, unit_.options.unbounded);
}

bool ThreadLowering::operation_signed(const Instruction& instruction) const {
  return !instruction.modifiers.type || instruction.modifiers.type->is_signed();
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/registers.h"

#include "axiomatic/lower/families/special_registers.h"
#include "support/check.h"

namespace ptxmc::lower {

using isa::Opcode;

namespace {

constexpr std::int64_t kLargestConstant = 1 << 20;  // of sizes, in bytes, and counts

}  // namespace

Typed Registers::read_register(const State& state, const std::string& name) const {
  const std::size_t index = body_.index(name);
  return body_.changes(index) ? SpecialRegisters(*this).held(name) : state.registers[index];
}

Expr Registers::read_number(const State& state, const std::string& name, Width width, Position position) {
  const Typed value = read_register(state, name);
  if (!value.written) return pool_.constant(0, width);
  if (pool_[value.expr].width == 1) fail(position, "register " + name + " is a predicate, expected a number");
  return resize(pool_, value, width);
}

/// The register of an address. "Addresses are zero-extended to the specified width as needed" (6.4.1).
Expr Registers::base_register(const State& state, const program::Address& address, Position position) {
  const Width held = pool_[read_register(state, address.base_register).expr].width;
  const Expr base = read_number(state, address.base_register, held == 1 ? unit_.word() : held, position);
  return resize(pool_, {base, false}, unit_.word());
}

Expr Registers::read_predicate(const State& state, const std::string& name, bool negated, Position position) {
  const Typed value = read_register(state, name);
  Expr truth = pool_.truth(false);
  if (value.written) {
    if (pool_[value.expr].width != 1) fail(position, "register " + name + " is not a predicate");
    truth = value.expr;
  }
  return negated ? pool_.negation(truth) : truth;
}

Expr Registers::operand(const State& state, const Operand& operand, Width width) {
  if (const auto* r = std::get_if<program::Register>(&operand.value)) {
    return read_number(state, r->name, width, operand.position);
  }
  if (const auto* integer = std::get_if<program::Integer>(&operand.value)) {
    return pool_.constant(integer->value, width);
  }
  if (const auto* address = std::get_if<program::AddressOf>(&operand.value)) {
    const VariableId id = layout_.find(address->variable, operand.position);
    if (narrower(width, 32))
      fail(operand.position, "the address of " + address->variable + " needs 32 or 64 bits");
    layout_.use_address(id);
    const Expr base = unit_.places.address(pool_, {id, std::nullopt}, width);
    return pool_.make(event::Op::add, width, base, pool_.constant(address->offset, width));
  }
  fail(operand.position, "expected a register, a constant or the address of a variable");
}

Expr Registers::predicate_operand(const State& state, const Operand& operand) {
  if (const auto* r = std::get_if<program::Register>(&operand.value)) {
    return read_predicate(state, r->name, false, operand.position);
  }
  if (const auto* r = std::get_if<program::NegatedRegister>(&operand.value)) {
    return read_predicate(state, r->name, true, operand.position);
  }
  if (const auto* integer = std::get_if<program::Integer>(&operand.value)) {
    return pool_.truth(integer->value != 0);
  }
  fail(operand.position, "expected a predicate register");
}

void Registers::write_register(State& state, const Instruction& instruction, const Operand& destination,
                               Typed value) {
  Results(*this, instruction, state).write(destination, value);
}

const std::string& Registers::destination_of(const Operand& operand) const {
  const auto* r = std::get_if<program::Register>(&operand.value);
  if (r == nullptr) fail(operand.position, "expected a destination register");
  return r->name;
}

Typed Registers::fitted(const std::string& name, Position position, Typed value) const {
  const auto& type = body_.declared(body_.index(name));
  if (!type) return value;
  const Width width = type->bits == 128 ? unit_.word() : width_of(type->bits, unit_.options.unbounded);
  const Width from = pool_[value.expr].width;
  if ((type->cls == isa::TypeClass::predicate) != (from == 1)) {
    fail(position, "register " + name + (from == 1 ? " is not a predicate" : " is a predicate"));
  }
  if (narrower(width, from)) fail(position, "register " + name + " is too narrow for this instruction");
  value.expr = resize(pool_, value, width);
  if (type->cls == isa::TypeClass::signed_) value.is_signed = true;
  if (type->cls == isa::TypeClass::unsigned_) value.is_signed = false;
  return value;
}

void Registers::assign(State& state, const std::string& name, Typed value, Expr executed) {
  Typed& target = state.registers[body_.index(name)];
  value.written = true;
  target = pool_.is_true(executed) ? value : merged(pool_, target, value, executed);
}

void Results::write(const Operand& destination, Typed value) {
  if (std::holds_alternative<program::Sink>(destination.value)) return;
  write(registers_.destination_of(destination), destination.position, value);
}

void Results::write(const std::string& name, Position position, Typed value) {
  const Typed held = registers_.fitted(name, position, value);
  if (!executed_) executed_ = registers_.predicate(instruction_, state_);
  registers_.assign(state_, name, held, *executed_);
}

Expr Registers::predicate(const Instruction& instruction, const State& state) {
  if (!instruction.guard) return pool_.truth(true);
  return read_predicate(state, instruction.guard->reg, instruction.guard->negated, instruction.position);
}

Expr Registers::event_guard(const Instruction& instruction, const State& state) {
  const Expr executed = predicate(instruction, state);
  unit_.decide(thread_, executed, state.guard);
  return pool_.conjunction(state.guard, executed);
}

Width Registers::operation_width(const Instruction& instruction) const {
  if (!instruction.modifiers.type) return unit_.word();
  return width_of(instruction.modifiers.type->bits, unit_.options.unbounded);
}

bool Registers::operation_signed(const Instruction& instruction) const {
  return !instruction.modifiers.type || instruction.modifiers.type->is_signed();
}

std::uint32_t Registers::constant_operand(const State& state, const Operand& source, const char* what) {
  const Expr value = operand(state, source, unit_.word());
  if (!pool_.is_constant(value)) {
    unsupported(source.position, std::string(what) + " that is not constant");
  }
  const event::Value number = pool_[value].constant;
  if (number < 0 || number > kLargestConstant) {
    fail(source.position, std::string(what) + " " + std::to_string(number) + ", expected 0 to " +
                              std::to_string(kLargestConstant));
  }
  return static_cast<std::uint32_t>(number);
}

event::Expr Registers::branch_condition(const Instruction& instruction, const State& state) {
  const Expr guard = predicate(instruction, state);
  if (instruction.opcode != Opcode::branch_compare) return guard;
  const Width width = unit_.word();  // untyped, hence signed
  const Expr a = operand(state, instruction.operand(Role::a), width);
  const Expr b = operand(state, instruction.operand(Role::b), width);
  return pool_.conjunction(guard, compare(pool_, instruction.modifiers.compare, true, a, b));
}

}  // namespace ptxmc::lower

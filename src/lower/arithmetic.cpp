// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (9.7.1), comparison and selection (9.7.5), logic and shifts (9.7.7), mov and cvt
// (9.7.8).
#include <algorithm>

#include "isa/table.h"
#include "lower/operations.h"
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Expr;
using event::Op;
using event::Width;
using isa::Opcode;

namespace {

Op operation(Opcode opcode, bool is_signed) {
  const std::optional<Op> op = arithmetic_of(opcode, is_signed);
  PTXMC_CHECK(op.has_value(), "not an arithmetic instruction");
  return *op;
}

}  // namespace

void ThreadLowering::arithmetic(const Instruction& instruction, State& state) {
  if (instruction.opcode == Opcode::mov && instruction.modifiers.type) {
    const bool parts =
        std::any_of(instruction.operands.begin(), instruction.operands.end(),
                    [](const Operand& o) { return std::holds_alternative<litmus::VectorOperand>(o.value); });
    if (parts || instruction.modifiers.type->bits == 128) return move_parts(instruction, state);
  }
  const Width width = operation_width(instruction);
  const bool is_signed = operation_signed(instruction);
  const auto source = [&](std::size_t i) {
    const Operand& o = operand_at(instruction, i);
    return width == 1 ? predicate_operand(state, o) : operand(state, o, width);
  };
  Expr result = source(1);
  if (instruction.opcode != Opcode::mov) {
    const Op op = operation(instruction.opcode, is_signed);
    result = event::arity(op) == 1 ? unit_.pool().make(op, width, result)
                                   : binary(instruction, op, width, result, source(2));
  } else if (!instruction.modifiers.type) {
    // a move without a type copies a register as it is, predicates included
    if (const auto* r = std::get_if<litmus::Register>(&operand_at(instruction, 1).value)) {
      return write_register(state, instruction, operand_at(instruction, 0), read_register(state, r->name));
    }
  }
  write_register(state, instruction, operand_at(instruction, 0), {result, is_signed});
}

/// 9.7.1.8: "Division by zero yields an unspecified, machine-specific value", a function of the operands here.
Expr ThreadLowering::binary(const Instruction& instruction, Op op, Width width, Expr a, Expr b) {
  auto& pool = unit_.pool();
  const Expr result = pool.make(op, width, a, b);
  const bool divides = op == Op::div_s || op == Op::div_u || op == Op::rem_s || op == Op::rem_u;
  if (!divides || (pool.is_constant(b) && pool[b].constant != 0)) return result;
  const Expr zero = pool.constant(0, width);
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers) + " by zero";
  return pool.make(Op::ite, width, pool.make(Op::eq, 1, b, zero), pool.opaque(name, width, a, zero), result);
}

void ThreadLowering::multiply(const Instruction& instruction, State& state) {
  const Width width = operation_width(instruction);
  const bool is_signed = operation_signed(instruction);
  const isa::MulHalf half = instruction.modifiers.half;
  Width result_width = width;
  if (half == isa::MulHalf::wide) {
    if (!instruction.modifiers.type || instruction.modifiers.type->bits > 32) {
      fail(instruction.position, ".wide needs a type of 16 or 32 bits");
    }
    result_width = width_of(instruction.modifiers.type->bits * 2u, unit_.options.unbounded);
  }
  Expr a = operand(state, operand_at(instruction, 1), width);
  Expr b = operand(state, operand_at(instruction, 2), width);
  a = resize(unit_.pool(), {a, is_signed}, result_width);
  b = resize(unit_.pool(), {b, is_signed}, result_width);
  const Op op = half != isa::MulHalf::hi ? Op::mul : is_signed ? Op::mulhi_s : Op::mulhi_u;
  Expr result = unit_.pool().make(op, result_width, a, b);
  if (instruction.opcode == Opcode::mad) {
    const Expr c = operand(state, operand_at(instruction, 3), result_width);
    result = unit_.pool().make(Op::add, result_width, result, c);
  }
  write_register(state, instruction, operand_at(instruction, 0), {result, is_signed});
}

// The shift amount is a .u32 whatever the type, and clamps (9.7.7.7, 9.7.7.8).
void ThreadLowering::shift(const Instruction& instruction, State& state) {
  const Width width = operation_width(instruction);
  const bool is_signed = operation_signed(instruction);
  const Expr value = operand(state, operand_at(instruction, 1), width);
  Expr amount = operand(state, operand_at(instruction, 2), 32);
  if (width != event::kUnbounded && width < 32) {
    amount = unit_.pool().make(Op::min_u, 32, amount, unit_.pool().constant(width, 32));
  }
  amount = resize(unit_.pool(), {amount, false}, width);
  const Op op = instruction.opcode == Opcode::shl ? Op::shl : is_signed ? Op::shr_s : Op::shr_u;
  write_register(state, instruction, operand_at(instruction, 0),
                 {unit_.pool().make(op, width, value, amount), is_signed});
}

void ThreadLowering::set_predicate(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const Width width = operation_width(instruction);
  const Expr a = operand(state, operand_at(instruction, 1), width);
  const Expr b = operand(state, operand_at(instruction, 2), width);
  Expr first = compare(pool, instruction.modifiers.compare, operation_signed(instruction), a, b);
  Expr second = pool.negation(first);
  if (instruction.modifiers.combine != isa::BoolOp::none) {
    const Op op = instruction.modifiers.combine == isa::BoolOp::and_  ? Op::and_
                  : instruction.modifiers.combine == isa::BoolOp::or_ ? Op::or_
                                                                      : Op::xor_;
    const Expr c = predicate_operand(state, operand_at(instruction, 3));
    first = pool.make(op, 1, first, c);
    second = pool.make(op, 1, second, c);
  }
  const Operand& destination = operand_at(instruction, 0);
  if (const auto* pair = std::get_if<litmus::RegisterPair>(&destination.value)) {
    State before = state;  // the guard of the instruction is read before either is written
    write_named(state, instruction, pair->first, destination.position, {first, false});
    write_named(before, instruction, pair->second, destination.position, {second, false});
    state.registers[register_index(pair->second)] = before.registers[register_index(pair->second)];
  } else {
    write_register(state, instruction, destination, {first, false});
  }
}

void ThreadLowering::select(const Instruction& instruction, State& state) {
  const Width width = operation_width(instruction);
  const Expr a = operand(state, operand_at(instruction, 1), width);
  const Expr b = operand(state, operand_at(instruction, 2), width);
  const Expr p = predicate_operand(state, operand_at(instruction, 3));
  write_register(state, instruction, operand_at(instruction, 0),
                 {unit_.pool().make(Op::ite, width, p, a, b), operation_signed(instruction)});
}

void ThreadLowering::convert(const Instruction& instruction, State& state) {
  const isa::Type to = instruction.modifiers.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
  const isa::Type from = instruction.modifiers.source_type.value_or(to);
  const Expr source =
      operand(state, operand_at(instruction, 1), width_of(from.bits, unit_.options.unbounded));
  const Expr result =
      resize(unit_.pool(), {source, from.is_signed()}, width_of(to.bits, unit_.options.unbounded));
  write_register(state, instruction, operand_at(instruction, 0), {result, to.is_signed()});
}

}  // namespace ptxmc::lower

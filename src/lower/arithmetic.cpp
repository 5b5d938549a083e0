// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (9.7.1), comparison and selection (9.7.5), logic and shifts (9.7.7), mov and cvt
// (9.7.8).
#include <span>

#include "isa/table.h"
#include "lower/operations.h"
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Expr;
using event::Op;
using event::Width;
using isa::Opcode;

/// Of a predicate type, a predicate.
Expr ThreadLowering::source(const Instruction& instruction, const State& state, Role role, Width width) {
  const Operand& source = instruction.operand(role);
  return width == 1 ? predicate_operand(state, source) : operand(state, source, width);
}

void ThreadLowering::move(const Instruction& instruction, State& state) {
  const Operand& to = instruction.operand(Role::result);
  const Operand& from = instruction.operand(Role::a);
  const bool parts = to.elements() != 0 || from.elements() != 0;
  if (instruction.modifiers.type && (parts || instruction.modifiers.type->bits == 128))
    return move_parts(instruction, state);
  const auto* r = std::get_if<program::Register>(&from.value);
  if (!instruction.modifiers.type && r != nullptr)  // copies a register as it is, predicates included
    return write_register(state, instruction, to, read_register(state, r->name));
  const Expr value = source(instruction, state, Role::a, operation_width(instruction));
  write_register(state, instruction, to, {value, operation_signed(instruction)});
}

/// One operation on all sources.
void ThreadLowering::apply(const Instruction& instruction, State& state) {
  const Width width = operation_width(instruction);
  const bool is_signed = operation_signed(instruction);
  const std::optional<Op> op = arithmetic_of(instruction.opcode, is_signed);
  PTXMC_CHECK(op.has_value(), "not an arithmetic instruction");
  const Expr a = source(instruction, state, Role::a, width);
  const Expr result = event::arity(*op) == 1
                          ? unit_.pool().make(*op, width, a)
                          : binary(instruction, *op, width, a, source(instruction, state, Role::b, width));
  write_register(state, instruction, instruction.operand(Role::result), {result, is_signed});
}

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
  Expr a = operand(state, instruction.operand(Role::a), width);
  Expr b = operand(state, instruction.operand(Role::b), width);
  a = resize(unit_.pool(), {a, is_signed}, result_width);
  b = resize(unit_.pool(), {b, is_signed}, result_width);
  const Op op = half != isa::MulHalf::hi ? Op::mul : is_signed ? Op::mulhi_s : Op::mulhi_u;
  Expr result = unit_.pool().make(op, result_width, a, b);
  if (instruction.opcode == Opcode::mad) {
    const Expr c = operand(state, instruction.operand(Role::c), result_width);
    result = unit_.pool().make(Op::add, result_width, result, c);
  }
  write_register(state, instruction, instruction.operand(Role::result), {result, is_signed});
}

// The shift amount is a .u32 whatever the type, and clamps (9.7.7.7, 9.7.7.8).
namespace {

/// The function of bits whose table is `table`, the first source its highest index; what it does not depend on does
/// not occur in it.
Expr function_of_bits(event::ExprPool& pool, Width width, std::span<const Expr> sources, unsigned table) {
  if (sources.empty()) return pool.constant(table == 0 ? 0 : -1, width);
  const unsigned rows = 1U << (sources.size() - 1), ones = (1U << rows) - 1;
  const unsigned if_set = table >> rows & ones, if_clear = table & ones;
  const auto rest = sources.subspan(1);
  const auto of = [&](unsigned part) { return function_of_bits(pool, width, rest, part); };
  const auto make = [&](Op op, Expr x, Expr y) { return pool.make(op, width, x, y); };
  const Expr source = sources.front();
  if (if_set == if_clear) return of(if_set);
  if (if_set == (if_clear ^ ones)) return make(Op::xor_, source, of(if_clear));
  if (if_clear == 0) return make(Op::and_, source, of(if_set));
  if (if_set == ones) return make(Op::or_, source, of(if_clear));
  const Expr clear = pool.make(Op::not_, width, source);
  return make(Op::or_, make(Op::and_, source, of(if_set)), make(Op::and_, clear, of(if_clear)));
}

}  // namespace

/// lop3 (9.7.7.6): bit 4a + 2b + c of the table is the result where the sources have the bits a, b and c.
void ThreadLowering::look_up(const Instruction& instruction, State& state) {
  constexpr event::Value kLargest = 255;
  const Operand& table = instruction.operand(Role::table);
  const event::Value bits = std::get<program::Integer>(table.value).value;
  if (bits < 0 || bits > kLargest)
    fail(table.position, "look-up table " + std::to_string(bits) + ", expected 0 to 255");
  const Width width = operation_width(instruction);
  std::vector<Expr> sources;
  for (const Role role : {Role::a, Role::b, Role::c})
    sources.push_back(operand(state, instruction.operand(role), width));
  const Expr result = function_of_bits(unit_.pool(), width, sources, static_cast<unsigned>(bits));
  write_register(state, instruction, instruction.operand(Role::result),
                 {result, operation_signed(instruction)});
}

void ThreadLowering::shift(const Instruction& instruction, State& state) {
  const Width width = operation_width(instruction);
  const bool is_signed = operation_signed(instruction);
  const Expr value = operand(state, instruction.operand(Role::a), width);
  Expr amount = operand(state, instruction.operand(Role::b), 32);
  if (width != event::kUnbounded && width < 32) {
    amount = unit_.pool().make(Op::min_u, 32, amount, unit_.pool().constant(width, 32));
  }
  amount = resize(unit_.pool(), {amount, false}, width);
  const Op op = instruction.opcode == Opcode::shl ? Op::shl : is_signed ? Op::shr_s : Op::shr_u;
  write_register(state, instruction, instruction.operand(Role::result),
                 {unit_.pool().make(op, width, value, amount), is_signed});
}

void ThreadLowering::set_predicate(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const Width width = operation_width(instruction);
  const Expr a = operand(state, instruction.operand(Role::a), width);
  const Expr b = operand(state, instruction.operand(Role::b), width);
  Expr first = compare(pool, instruction.modifiers.compare, operation_signed(instruction), a, b);
  Expr second = pool.negation(first);
  if (instruction.modifiers.combine != isa::BoolOp::none) {
    const Op op = instruction.modifiers.combine == isa::BoolOp::and_  ? Op::and_
                  : instruction.modifiers.combine == isa::BoolOp::or_ ? Op::or_
                                                                      : Op::xor_;
    const Expr c = predicate_operand(state, instruction.operand(Role::predicate));
    first = pool.make(op, 1, first, c);
    second = pool.make(op, 1, second, c);
  }
  const Operand& destination = instruction.operand(Role::result);
  if (const auto* pair = std::get_if<program::RegisterPair>(&destination.value)) {
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
  const Expr a = operand(state, instruction.operand(Role::a), width);
  const Expr b = operand(state, instruction.operand(Role::b), width);
  const Expr p = predicate_operand(state, instruction.operand(Role::predicate));
  write_register(state, instruction, instruction.operand(Role::result),
                 {unit_.pool().make(Op::ite, width, p, a, b), operation_signed(instruction)});
}

void ThreadLowering::convert(const Instruction& instruction, State& state) {
  const isa::Type to = instruction.modifiers.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
  const isa::Type from = instruction.modifiers.source_type.value_or(to);
  const Expr source =
      operand(state, instruction.operand(Role::a), width_of(from.bits, unit_.options.unbounded));
  const Expr result =
      resize(unit_.pool(), {source, from.is_signed()}, width_of(to.bits, unit_.options.unbounded));
  write_register(state, instruction, instruction.operand(Role::result), {result, to.is_signed()});
}

}  // namespace ptxmc::lower

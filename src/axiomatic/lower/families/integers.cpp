// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (9.7.1), comparison and selection (9.7.5), logic and shifts (9.7.7), mov and cvt
// (9.7.8).
#include "axiomatic/lower/families/integers.h"

#include <span>

#include "axiomatic/lower/families/comparisons.h"
#include "axiomatic/lower/families/operations.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::Opcode;

/// The source; a predicate where its type is one.
Expr Integers::source(const Instruction& instruction, const State& state, Role role, Width width) {
  const Operand& source = instruction.operand(role);
  return width == 1 ? registers_.predicate_operand(state, source) : registers_.operand(state, source, width);
}

void Integers::move(const Instruction& instruction, State& state) {
  const Operand& to = instruction.operand(Role::result);
  const Operand& from = instruction.operand(Role::a);
  const bool parts = to.elements() != 0 || from.elements() != 0;
  if (instruction.modifiers.type && (parts || instruction.modifiers.type->bits == 128))
    return words_.move_parts(instruction, state);
  const auto* r = std::get_if<program::Register>(&from.value);
  if (!instruction.modifiers.type && r != nullptr)  // copies a register as it is, predicates included
    return registers_.write_register(state, instruction, to, registers_.read_register(state, r->name));
  const Expr value = source(instruction, state, Role::a, registers_.operation_width(instruction));
  registers_.write_register(state, instruction, to, {value, registers_.operation_signed(instruction)});
}

/// One operation on all sources.
void Integers::apply(const Instruction& instruction, State& state) {
  const Width width = registers_.operation_width(instruction);
  const bool is_signed = registers_.operation_signed(instruction);
  const std::optional<Op> op = arithmetic_of(instruction.opcode, is_signed);
  PTXMC_CHECK(op.has_value(), "not an arithmetic instruction");
  const Expr a = source(instruction, state, Role::a, width);
  const Expr result = event::arity(*op) == 1
                          ? pool_.make(*op, width, a)
                          : binary(instruction, *op, width, a, source(instruction, state, Role::b, width));
  registers_.write_register(state, instruction, instruction.operand(Role::result), {result, is_signed});
}

Expr Integers::binary(const Instruction& instruction, Op op, Width width, Expr a, Expr b) {
  const Expr result = pool_.make(op, width, a, b);
  const bool divides = op == Op::div_s || op == Op::div_u || op == Op::rem_s || op == Op::rem_u;
  if (!divides || (pool_.is_constant(b) && pool_[b].constant != 0)) return result;
  const Expr zero = pool_.constant(0, width);
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers) + " by zero";
  return pool_.make(Op::ite, width, pool_.make(Op::eq, 1, b, zero), pool_.opaque(name, width, a, zero),
                    result);
}

void Integers::multiply(const Instruction& instruction, State& state) {
  const Width width = registers_.operation_width(instruction);
  const bool is_signed = registers_.operation_signed(instruction);
  const isa::MulHalf half = instruction.modifiers.half;
  Width result_width = width;
  if (half == isa::MulHalf::wide) {
    if (!instruction.modifiers.type || instruction.modifiers.type->bits > 32) {
      fail(instruction.position, ".wide needs a type of 16 or 32 bits");
    }
    result_width = width_of(instruction.modifiers.type->bits * 2u, unit_.options.unbounded);
  }
  Expr a = registers_.operand(state, instruction.operand(Role::a), width);
  Expr b = registers_.operand(state, instruction.operand(Role::b), width);
  a = resize(pool_, {a, is_signed}, result_width);
  b = resize(pool_, {b, is_signed}, result_width);
  const Op op = half != isa::MulHalf::hi ? Op::mul : is_signed ? Op::mulhi_s : Op::mulhi_u;
  Expr result = pool_.make(op, result_width, a, b);
  if (instruction.opcode == Opcode::mad) {
    const Expr c = registers_.operand(state, instruction.operand(Role::c), result_width);
    result = pool_.make(Op::add, result_width, result, c);
  }
  registers_.write_register(state, instruction, instruction.operand(Role::result), {result, is_signed});
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
void Integers::look_up(const Instruction& instruction, State& state) {
  constexpr event::Value kLargest = 255;
  const Operand& table = instruction.operand(Role::table);
  const event::Value bits = std::get<program::Integer>(table.value).value;
  if (bits < 0 || bits > kLargest)
    fail(table.position, "look-up table " + std::to_string(bits) + ", expected 0 to 255");
  const Width width = registers_.operation_width(instruction);
  std::vector<Expr> sources;
  for (const Role role : {Role::a, Role::b, Role::c})
    sources.push_back(registers_.operand(state, instruction.operand(role), width));
  const Expr result = function_of_bits(pool_, width, sources, static_cast<unsigned>(bits));
  const Operand& to = instruction.operand(Role::result);
  Results results(registers_, instruction, state);
  const auto* pair = std::get_if<program::RegisterPair>(&to.value);
  if (pair == nullptr) return results.write(to, {result, registers_.operation_signed(instruction)});
  const Expr some = pool_.negation(pool_.make(Op::eq, 1, result, pool_.constant(0, width)));
  const Expr predicate = registers_.predicate_operand(state, instruction.operand(Role::predicate));
  const Expr truth = combined(pool_, instruction.modifiers.combine, some, predicate);
  if (pair->first != "_") results.write(pair->first, to.position, {result, false});
  if (pair->second != "_") results.write(pair->second, to.position, {truth, false});
}

void Integers::shift(const Instruction& instruction, State& state) {
  const Width width = registers_.operation_width(instruction);
  const bool is_signed = registers_.operation_signed(instruction);
  const Expr value = registers_.operand(state, instruction.operand(Role::a), width);
  Expr amount = registers_.operand(state, instruction.operand(Role::b), 32);
  if (width != event::kUnbounded && width < 32) {
    amount = pool_.make(Op::min_u, 32, amount, pool_.constant(width, 32));
  }
  amount = resize(pool_, {amount, false}, width);
  const Op op = instruction.opcode == Opcode::shl ? Op::shl : is_signed ? Op::shr_s : Op::shr_u;
  registers_.write_register(state, instruction, instruction.operand(Role::result),
                            {pool_.make(op, width, value, amount), is_signed});
}

void Integers::select(const Instruction& instruction, State& state) {
  const Width width = registers_.operation_width(instruction);
  const Expr a = registers_.operand(state, instruction.operand(Role::a), width);
  const Expr b = registers_.operand(state, instruction.operand(Role::b), width);
  const Expr p = registers_.predicate_operand(state, instruction.operand(Role::predicate));
  registers_.write_register(state, instruction, instruction.operand(Role::result),
                            {pool_.make(Op::ite, width, p, a, b), registers_.operation_signed(instruction)});
}

void Integers::convert(const Instruction& instruction, State& state) {
  const isa::Type to = instruction.modifiers.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
  const isa::Type from = instruction.modifiers.source_type.value_or(to);
  const Expr source =
      registers_.operand(state, instruction.operand(Role::a), width_of(from.bits, unit_.options.unbounded));
  const Expr result = resize(pool_, {source, from.is_signed()}, width_of(to.bits, unit_.options.unbounded));
  registers_.write_register(state, instruction, instruction.operand(Role::result), {result, to.is_signed()});
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/comparisons.h"

#include "axiomatic/lower/families/functions.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

using event::Op;

namespace {

bool is_pair(const isa::Type& type) {
  return type.format == isa::Float::f16x2 || type.format == isa::Float::bf16x2;
}

/// What a true comparison is as a number of that type, in its low half where that is packed.
event::Value truth_of(const isa::Type& type, bool of_pairs) {
  switch (type.format) {
    case isa::Float::f32:
      return 0x3f800000;
    case isa::Float::f16:
    case isa::Float::f16x2:
      return 0x3c00;
    case isa::Float::bf16:
    case isa::Float::bf16x2:
      return 0x3f80;
    default:
      return of_pairs ? 0xffff : -1;
  }
}

}  // namespace

Expr combined(event::ExprPool& pool, isa::BoolOp combine, Expr truth, Expr predicate) {
  switch (combine) {
    case isa::BoolOp::none:
      break;
    case isa::BoolOp::and_:
      return pool.make(Op::and_, 1, truth, predicate);
    case isa::BoolOp::or_:
      return pool.make(Op::or_, 1, truth, predicate);
    case isa::BoolOp::xor_:
      return pool.make(Op::xor_, 1, truth, predicate);
  }
  return truth;
}

/// Whether it holds; not known for floating numbers. `part` tells the halves of packed numbers apart.
Expr Comparisons::comparison(const Instruction& instruction, const State& state, const std::string& part) {
  const isa::Modifiers& m = instruction.modifiers;
  const std::optional<isa::Type>& type = m.source_type ? m.source_type : m.type;
  const Width width = type ? width_of(type->bits, unit_.options.unbounded) : unit_.word();
  const Expr a = registers_.operand(state, instruction.operand(Role::a), width);
  const Expr b = registers_.operand(state, instruction.operand(Role::b), width);
  if (!type || !type->is_floating()) return compare(pool_, m.compare, !type || type->is_signed(), a, b);
  isa::Modifiers relation = m;  // what it is combined with is known
  relation.combine = isa::BoolOp::none;
  relation.type = type;
  relation.source_type.reset();
  return unknown_truth(pool_, isa::mnemonic(isa::Opcode::setp, relation) + part, {a, b});
}

/// The second destination has the opposite; of packed numbers the upper half's comparison.
void Comparisons::set_predicate(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  Expr first = comparison(instruction, state, "");
  Expr second = m.type && is_pair(*m.type) ? comparison(instruction, state, " upper") : pool_.negation(first);
  if (m.combine != isa::BoolOp::none) {
    const Expr c = registers_.predicate_operand(state, instruction.operand(Role::predicate));
    first = combined(pool_, m.combine, first, c);
    second = combined(pool_, m.combine, second, c);
  }
  const Operand& destination = instruction.operand(Role::result);
  Results results(registers_, instruction, state);
  const auto* pair = std::get_if<program::RegisterPair>(&destination.value);
  if (pair == nullptr) return results.write(destination, {first, false});
  if (pair->first != "_") results.write(pair->first, destination.position, {first, false});
  if (pair->second != "_") results.write(pair->second, destination.position, {second, false});
}

/// All ones or zero, or 1.0 or zero.
void Comparisons::set_number(const Instruction& instruction, State& state) {
  const isa::Type type = *instruction.modifiers.type;
  const bool pairs = is_pair(*instruction.modifiers.source_type);
  const auto width = static_cast<Width>(type.bits);
  const Operand* predicate = instruction.find(Role::predicate);
  const auto number = [&](const std::string& part, event::Value if_true) {
    Expr holds = comparison(instruction, state, part);
    if (predicate != nullptr)
      holds = combined(pool_, instruction.modifiers.combine, holds,
                       registers_.predicate_operand(state, *predicate));
    return pool_.make(Op::ite, width, holds, pool_.constant(if_true, width), pool_.constant(0, width));
  };
  const event::Value one = truth_of(type, pairs);
  Expr result = number("", one);
  if (pairs) result = pool_.make(Op::or_, width, result, number(" upper", one << 16));
  registers_.write_register(state, instruction, instruction.operand(Role::result),
                            {result, type.is_signed()});
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Instructions on registers that are no single operation: those on bits, exactly (bits.h), and functions of floating
// numbers (9.7.3 to 9.7.6) as terms: the same function of equal sources gives equal results, and nothing else is known,
// not even of constants.
#include "axiomatic/lower/families/functions.h"

#include <algorithm>

#include "axiomatic/lower/families/bits.h"
#include "finding/rules.h"
#include "ptx/isa/table.h"
#include "ptx/rules/operands.h"

namespace ptxmc::lower {

namespace {

constexpr Width kRegisterWidth = 64;
constexpr Width kByte = 8;

}  // namespace

Expr unknown_truth(event::ExprPool& pool, const std::string& name, const std::vector<Expr>& arguments) {
  const Expr number = unknown_function(pool, name, kByte, arguments);
  return pool.negation(pool.make(event::Op::eq, 1, number, pool.constant(0, kByte)));
}

Expr unknown_function(event::ExprPool& pool, const std::string& name, Width width,
                      const std::vector<Expr>& arguments) {
  if (arguments.empty()) return pool.opaque(name, width, pool.constant(0, kRegisterWidth));
  if (arguments.size() == 1) return pool.opaque(name, width, arguments.front());
  Expr result = arguments.front();
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const bool last = i + 1 == arguments.size();
    const std::string step = last ? name : name + " operand " + std::to_string(i);
    result = pool.opaque(step, last ? width : kRegisterWidth, result, arguments[i]);
  }
  return result;
}

/// The sources of an instruction in the order of PTX, each of the width of its place; halves of 128 bits.
std::vector<Expr> Functions::sources(const Instruction& instruction, const State& state) {
  std::vector<Expr> out;
  const isa::Modifiers& m = instruction.modifiers;
  for (const Operand& source : instruction.operands) {
    if (isa::is_written(source.place.role)) continue;
    if (const auto* address = std::get_if<program::Address>(&source.value)) {
      Operand base = source;
      base.value = program::AddressOf{address->variable};
      if (!address->base_register.empty()) base.value = program::Register{address->base_register};
      out.push_back(registers_.operand(state, base, kRegisterWidth));
      out.push_back(pool_.constant(address->offset, kRegisterWidth));
      continue;
    }
    if (const auto* vector = std::get_if<program::VectorOperand>(&source.value)) {
      for (const auto& element : vector->elements) {
        Operand one;
        one.position = source.position;
        std::visit([&](const auto& value) { one.value = value; }, element);
        out.push_back(registers_.operand(state, one, 32));
      }
      continue;
    }
    const auto use = program::use_of(source, m);
    std::uint32_t bits = use ? use->bits : kRegisterWidth;
    // Only the low bits count, where the type is narrower than registers are.
    if (isa::is_of_source(source.place.width) && m.source_type) bits = m.source_type->bits;
    if (bits == 1) {
      out.push_back(registers_.predicate_operand(state, source));
      continue;
    }
    out.push_back(
        registers_.operand(state, source, static_cast<Width>(std::min<std::uint32_t>(bits, kRegisterWidth))));
    if (bits > kRegisterWidth)
      out.push_back(registers_.operand(state, upper_operand(source), kRegisterWidth));
  }
  return out;
}

/// An operand that is a constant here, and may not be: what it gives is undefined.
void Functions::check_limit(const Instruction& instruction, const State& state) {
  const rules::OperandLimit* limit = rules::operand_limit(instruction.opcode, instruction.modifiers);
  if (limit == nullptr || instruction.find(limit->operand) == nullptr) return;
  const Expr value = registers_.operand(state, instruction.operand(limit->operand), 32),
             other = registers_.operand(state, instruction.operand(limit->other), 32);
  if (!pool_.is_constant(value) || !pool_.is_constant(other)) return;
  const auto number = [&](Expr x) { return static_cast<std::uint64_t>(pool_[x].constant); };
  if (!limit->holds(number(value), number(other)))
    misuse(finding::RuleId::bad_operand, registers_.event_guard(instruction, state), instruction);
}

void Functions::compute(const Instruction& instruction, State& state) {
  check_limit(instruction, state);
  std::optional<Expr> carry;
  if (uses_carry(instruction))
    carry = registers_.read_predicate(state, program::kCarry, false, instruction.position);
  const IntegerResult result =
      integer_result(pool_, instruction.opcode, instruction.modifiers, sources(instruction, state), carry);
  Results results(registers_, instruction, state);
  results.write(instruction.operand(Role::result), {result.value, registers_.operation_signed(instruction)});
  if (result.carry) results.write(program::kCarry, instruction.position, {*result.carry, false});
}

/// A term for what an instruction on floating numbers gives; one for each element of a vector.
void Functions::apply_unknown(const Instruction& instruction, State& state) {
  check_limit(instruction, state);
  const Operand& to = instruction.operand(Role::result);
  const auto use = program::use_of(to, instruction.modifiers);
  const std::uint16_t type = instruction.modifiers.type ? instruction.modifiers.type->bits : 32;
  const auto width = static_cast<Width>(use && use->exact ? use->bits : type);
  const bool is_signed = registers_.operation_signed(instruction);
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers);
  const std::vector<Expr> arguments = sources(instruction, state);
  Results results(registers_, instruction, state);
  const auto* vector = std::get_if<program::VectorOperand>(&to.value);
  if (width == 1) return results.write(to, {unknown_truth(pool_, name, arguments), false});
  if (vector == nullptr)
    return results.write(to, {unknown_function(pool_, name, width, arguments), is_signed});
  for (std::size_t i = 0; i < vector->elements.size(); ++i) {
    const auto* r = std::get_if<program::Register>(&vector->elements[i]);
    if (r == nullptr) continue;
    const std::string element = name + " element " + std::to_string(i);
    results.write(r->name, to.position, {unknown_function(pool_, element, width, arguments), is_signed});
  }
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Registers that hold several values: `{%r0, %r1}`, packed pairs, and .b128 registers, which are pairs of
// 64-bit halves here (the upper one under a name of its own).
#include "axiomatic/lower/families/register_words.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::lower {

using event::Op;

namespace {

constexpr std::uint32_t kHalf = 64;  // bits

/// The elements of `{...}`, or the operand itself.
std::vector<Operand> operands_of(const Operand& operand) {
  const auto* vector = std::get_if<program::VectorOperand>(&operand.value);
  if (!vector) return {operand};
  std::vector<Operand> out;
  for (const auto& element : vector->elements) {
    Operand next;
    next.position = operand.position;
    std::visit([&](const auto& value) { next.value = value; }, element);
    out.push_back(std::move(next));
  }
  return out;
}

}  // namespace

Operand upper_operand(const Operand& operand) {
  Operand upper = operand;
  if (const auto* r = std::get_if<program::Register>(&operand.value)) {
    upper.value = program::Register{program::upper_half_name(r->name)};
  } else if (const auto* integer = std::get_if<program::Integer>(&operand.value)) {
    upper.value = program::Integer{integer->value < 0 ? -1 : 0};
  }
  return upper;
}

/// A vector access that is one scalar access of all its bytes (D12, a reading).
bool RegisterWords::whole_vector(const Instruction& instruction) const {
  return unit_.options.readings.vector_is_whole && instruction.modifiers.vector > 1;
}

/// A scalar of the instruction's operand: the access, or an element of it where a vector is accessed whole.
Access RegisterWords::element_of(const Instruction& instruction, const Access& scalar) const {
  if (!whole_vector(instruction)) return scalar;
  if (unit_.options.unbounded)
    unsupported(instruction.position, "a vector accessed whole, with unbounded integers");
  const isa::Modifiers& m = instruction.modifiers;
  Access element = scalar;
  element.width = static_cast<Width>(m.type->bits / isa::parts_of(m.packed));
  return element;
}

/// The elements that the words of a whole access hold, in address order.
Words RegisterWords::divided(const Words& words, const Access& whole, const Access& element) {
  Words out;
  for (const Expr word : words) {
    for (Width at = 0; at < whole.width; at = static_cast<Width>(at + element.width)) {
      const Expr shifted = pool_.make(Op::shr_u, whole.width, word, pool_.constant(at, whole.width));
      out.push_back(resize(pool_, {shifted, false}, element.width));
    }
  }
  return out;
}

/// The words of a whole access that hold these elements.
Words RegisterWords::joined(const Words& words, const Access& element, const Access& whole) {
  const std::size_t each = whole.width / element.width;
  Words out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto at = static_cast<event::Value>(i % each * element.width);
    const Expr wide = resize(pool_, {words[i], false}, whole.width);
    if (at == 0) {
      out.push_back(wide);
    } else {
      const Expr shifted = pool_.make(Op::shl, whole.width, wide, pool_.constant(at, whole.width));
      out.back() = pool_.make(Op::or_, whole.width, out.back(), shifted);
    }
  }
  return out;
}

/// The words that an instruction stores, in address order.
Words RegisterWords::stored_words(const Instruction& instruction, const State& state, const Operand& source,
                                  const Access& scalar) {
  const isa::Modifiers& m = instruction.modifiers;
  Words words;
  for (const Operand& element : operands_of(source)) {
    if (m.packed != isa::Packed::none) {
      const auto whole = static_cast<Width>(m.type->bits);
      const Expr all = registers_.operand(state, element, whole);
      for (Width at = 0; at < whole; at = static_cast<Width>(at + scalar.width)) {
        const Expr part = at == 0 ? all : pool_.make(Op::shr_u, whole, all, pool_.constant(at, whole));
        words.push_back(resize(pool_, {part, false}, scalar.width));
      }
    } else {
      words.push_back(registers_.operand(state, element, scalar.width));
      if (m.type && m.type->bits == 128)
        words.push_back(registers_.operand(state, upper_operand(element), scalar.width));
    }
  }
  return words;
}

/// The words that an instruction read go to its destination.
void RegisterWords::write_words(State& state, const Instruction& instruction, const Operand& destination,
                                const Words& words, const Access& scalar) {
  const isa::Modifiers& m = instruction.modifiers;
  const bool several = words.size() > 1 || std::holds_alternative<program::VectorOperand>(destination.value);
  if (!several)
    return registers_.write_register(state, instruction, destination, {words.front(), scalar.is_signed});
  Results results(registers_, instruction, state);
  std::size_t next = 0;
  for (const Operand& element : operands_of(destination)) {
    if (m.packed != isa::Packed::none) {
      const auto whole = static_cast<Width>(m.type->bits);
      Expr all = resize(pool_, {words.at(next++), false}, whole);
      for (Width at = scalar.width; at < whole; at = static_cast<Width>(at + scalar.width)) {
        const Expr part = resize(pool_, {words.at(next++), false}, whole);
        const Expr shifted = pool_.make(Op::shl, whole, part, pool_.constant(at, whole));
        all = pool_.make(Op::or_, whole, all, shifted);
      }
      results.write(element, {all, false});
    } else {
      results.write(element, {words.at(next++), scalar.is_signed});
      if (m.type && m.type->bits == 2 * kHalf)
        results.write(upper_operand(element), {words.at(next++), false});
    }
  }
}

/// mov.b32/.b64/.b128 that packs or unpacks `{...}` (9.7.8.4), or copies a .b128 register.
void RegisterWords::move_parts(const Instruction& instruction, State& state) {
  const Operand& to = instruction.operand(Role::result);
  const Operand& from = instruction.operand(Role::a);
  const std::uint32_t bits = instruction.modifiers.type->bits;
  const std::vector<Operand> sources = operands_of(from), destinations = operands_of(to);
  const auto part = static_cast<std::uint32_t>(bits / std::max(sources.size(), destinations.size()));
  const bool wide = bits == 2 * kHalf;
  if (wide && sources.size() + destinations.size() > 3)
    fail(instruction.position, "a .b128 register has two halves");
  Access scalar;
  scalar.is_signed = false;
  if (wide) {
    scalar.width = width_of(kHalf, unit_.options.unbounded);
    Words words;
    for (const Operand& source : sources) words.push_back(registers_.operand(state, source, scalar.width));
    if (sources.size() == 1)
      words.push_back(registers_.operand(state, upper_operand(sources.front()), scalar.width));
    Instruction plain = instruction;
    if (destinations.size() == 2) plain.modifiers.type->bits = kHalf;
    return write_words(state, plain, to, words, scalar);
  }
  const auto whole = static_cast<Width>(bits), narrow = static_cast<Width>(part);
  if (sources.size() > 1) {
    Expr result = pool_.constant(0, whole);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Expr value = resize(pool_, {registers_.operand(state, sources[i], narrow), false}, whole);
      const Expr at = pool_.constant(static_cast<event::Value>(i * part), whole);
      result = pool_.make(Op::or_, whole, result, pool_.make(Op::shl, whole, value, at));
    }
    return registers_.write_register(
        state, instruction, to,
        {resize(pool_, {result, false}, width_of(bits, unit_.options.unbounded)), false});
  }
  const Expr value = registers_.operand(state, from, whole);
  Words words;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const Expr at = pool_.constant(static_cast<event::Value>(i * part), whole);
    words.push_back(resize(pool_, {pool_.make(Op::shr_u, whole, value, at), false}, narrow));
  }
  write_words(state, instruction, to, words, scalar);
}

}  // namespace ptxmc::lower

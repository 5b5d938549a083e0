// SPDX-License-Identifier: Apache-2.0
#include "session/term_values.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "ptx/isa/opcode.h"

namespace ptxmc::session {

namespace {

using event::Expr;
using event::Op;
using exec::Step;
using exec::Term;
using exec::Terms;
using isa::Opcode;
using isa::Role;
using Kind = Terms::Definition::Kind;

constexpr unsigned kWordBits = 64;
constexpr unsigned kDeepestTerm = 256;             // operations in operations
constexpr std::size_t kMostExpressions = 200'000;  // expressions

bool is_floating(const isa::Modifiers& m) {
  return (m.type && m.type->is_floating()) || (m.source_type && m.source_type->is_floating());
}

bool is_width(unsigned bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == kWordBits;
}

/// A step of integers, or predicates, that has one result as wide as its register.
bool is_plain(const Step& step) {
  return step.compute != nullptr && !step.is_unknown && !step.divides && step.fit.from >= kWordBits &&
         step.elements.size() <= 1 && !step.has(Role::state) && !step.has(Role::table) &&
         step.modifiers().type && !is_floating(step.modifiers());
}

std::optional<Op> operation_of(Opcode opcode, bool is_signed) {
  switch (opcode) {
    case Opcode::add:
      return Op::add;
    case Opcode::sub:
      return Op::sub;
    case Opcode::min:
      return is_signed ? Op::min_s : Op::min_u;
    case Opcode::max:
      return is_signed ? Op::max_s : Op::max_u;
    case Opcode::and_:
      return Op::and_;
    case Opcode::or_:
      return Op::or_;
    case Opcode::xor_:
      return Op::xor_;
    default:
      return std::nullopt;
  }
}

std::optional<Op> operation_of(isa::BoolOp combine) {
  switch (combine) {
    case isa::BoolOp::and_:
      return Op::and_;
    case isa::BoolOp::or_:
      return Op::or_;
    case isa::BoolOp::xor_:
      return Op::xor_;
    case isa::BoolOp::none:
      break;
  }
  return std::nullopt;
}

}  // namespace

Expr TermValues::anything(event::Width width) {
  event::Term term;
  term.width = width;
  return pool().new_term(term);
}

/// The first byte is the lowest.
Expr TermValues::initial(trace::Address begin, unsigned bytes) {
  constexpr unsigned kByte = 8;
  Expr all = pool().constant(0, kWordBits);
  for (unsigned i = 0; i < bytes; ++i) {
    const auto [known, fresh] = bytes_.try_emplace(begin + i);
    if (fresh) known->second = anything(kByte);
    const Expr byte = extended(known->second, kByte, false);
    all = pool().make(
        Op::or_, kWordBits, all,
        pool().make(Op::shl, kWordBits, byte, pool().constant(event::Value{i} * kByte, kWordBits)));
  }
  return all;
}

/// So many bits of a value of more, or as many.
Expr TermValues::lowest(Expr value, unsigned bits) {
  return pool()[value].width == bits ? value
                                     : pool().make(Op::truncate, static_cast<event::Width>(bits), value);
}

/// The lowest bits, extended.
Expr TermValues::extended(Expr value, unsigned bits, bool is_signed, unsigned to) {
  const Expr low = lowest(value, bits);
  if (bits >= to) return lowest(low, to);
  return pool().make(is_signed ? Op::sign_extend : Op::zero_extend, static_cast<event::Width>(to), low);
}

Expr TermValues::operation(Op op, unsigned bits, Expr a, Expr b) {
  const Expr value = pool().make(op, static_cast<event::Width>(bits), lowest(a, bits), lowest(b, bits));
  return extended(value, bits, false);
}

Expr TermValues::of(Term term) {
  if (term == exec::kNoTerm) return anything(kWordBits);
  if (const auto known = known_.find(term); known != known_.end()) return known->second;
  std::optional<Expr> out;
  if (depth_ < kDeepestTerm && pool().size() < kMostExpressions) {
    ++depth_;
    out = made(term);
    --depth_;
  }
  return known_[term] = out ? *out : anything(kWordBits);
}

/// Nothing: any value.
std::optional<Expr> TermValues::made(Term term) {
  constexpr std::size_t kMost = exec::kLanes + 1;  // a mask and the lanes in it
  std::vector<Term> operands;
  while (terms_[term].kind == Kind::pair && operands.size() <= kMost) {
    operands.push_back(terms_[term].b);
    term = terms_[term].a;
  }
  std::reverse(operands.begin(), operands.end());
  const Terms::Definition& root = terms_[term];
  switch (root.kind) {
    case Kind::number:
      if (!operands.empty()) break;
      return pool().constant(static_cast<event::Value>(root.word), kWordBits);
    case Kind::initial:
      if (!operands.empty() || root.bytes > sizeof(std::uint64_t)) break;
      return initial(root.word, root.bytes);
    case Kind::tag:
      return tagged(static_cast<Terms::Tag>(root.word), operands);
    case Kind::function:
      return result(*root.step, operands);
    default:
      break;
  }
  return std::nullopt;
}

std::optional<Expr> TermValues::tagged(Terms::Tag tag, std::span<const Term> operands) {
  constexpr unsigned kByte = 8;
  if (tag == Terms::Tag::opposite && operands.size() == 1)
    return extended(pool().negation(truth(operands[0])), 1, false);
  if (operands.size() != 2 || terms_[operands[0]].kind != Kind::number) return std::nullopt;
  const std::uint64_t number = terms_[operands[0]].word;
  switch (tag) {
    case Terms::Tag::extended_signed:
    case Terms::Tag::extended:
      if (!is_width(static_cast<unsigned>(number))) return std::nullopt;
      return extended(of(operands[1]), static_cast<unsigned>(number), tag == Terms::Tag::extended_signed);
    case Terms::Tag::low:
      if (!is_width(static_cast<unsigned>(number) * kByte)) return std::nullopt;
      return extended(of(operands[1]), static_cast<unsigned>(number) * kByte, false);
    default:
      return std::nullopt;
  }
}

/// The mask says which lanes the operands after it are of.
std::optional<Expr> TermValues::voted(const Step& step, std::span<const Term> operands) {
  if (operands.empty() || terms_[operands[0]].kind != Kind::number || !step.has(Role::member_mask))
    return std::nullopt;
  const auto lanes = static_cast<exec::LaneMask>(terms_[operands[0]].word);
  if (operands.size() != 1 + static_cast<std::size_t>(std::popcount(lanes))) return std::nullopt;
  LaneBits::Bits truths = bits_.none();
  std::size_t next = 1;
  exec::for_lanes(lanes, [&](unsigned lane) {
    const Expr holds = truth(operands[next++]);
    truths[lane] = step.is_negated(Role::predicate) ? pool().negation(holds) : holds;
  });
  return bits_.voted(step.modifiers().warp_mode, lanes, truths);
}

std::optional<Expr> TermValues::result(const Step& step, std::span<const Term> operands) {
  if (step.instruction->opcode == Opcode::vote) return voted(step, operands);
  const std::size_t count = step.source_count + (step.has(Role::predicate) ? 1U : 0U);
  if (!is_plain(step) || operands.size() != count) return std::nullopt;
  std::vector<Expr> values;
  for (const Term operand : operands) values.push_back(of(operand));
  const isa::Pure pure = isa::pure_of(step.instruction->opcode, step.modifiers());
  const bool on_bits =
      isa::traits(step.instruction->opcode).pure == pure &&  // else it is composed, as of .sat
      (pure == isa::Pure::bits || pure == isa::Pure::shift || pure == isa::Pure::apply);
  if (on_bits && count == step.source_count) {
    if (const auto word = bits_.applied(step.instruction->opcode, step.modifiers(), values)) return word;
  }
  switch (pure) {
    case isa::Pure::compare:
      if (step.instruction->opcode != Opcode::setp) return std::nullopt;
      return compared(step, values);
    case isa::Pure::select:
      if (step.source_count != 2 || count != 3) return std::nullopt;
      return selected(step, values);
    case isa::Pure::convert:
      if (count != 1) return std::nullopt;
      return converted(step, values[0]);
    case isa::Pure::shift:
      return shifted(step, values);
    case isa::Pure::product:
      return multiplied(step, values);
    case isa::Pure::apply:
      return applied(step, values);
    default:
      return std::nullopt;
  }
}

/// Below a number: not above the number before it. So tests of one value with one bound are one, or opposites.
Expr TermValues::less(bool of_signed, Expr a, Expr b) {
  const Op op = of_signed ? Op::lt_s : Op::lt_u;
  if (!pool().is_constant(b) || pool().is_constant(a)) return pool().make(op, 1, a, b);
  const event::Width bits = pool()[b].width;
  const event::Value number = pool()[b].constant;
  const event::Value least = of_signed ? event::wrap(event::Value{1} << (bits - 1U), bits) : 0;
  if (number == least) return pool().truth(false);
  return pool().negation(pool().make(op, 1, pool().constant(event::wrap(number - 1, bits), bits), a));
}

std::optional<Expr> TermValues::compared(const Step& step, Operands operands) {
  const isa::Modifiers& m = step.modifiers();
  const unsigned bits = m.type->bits;
  if (step.source_count != 2 || !is_width(bits)) return std::nullopt;
  const bool of_signed = m.type->is_signed();
  const Expr a = lowest(operands[0], bits), b = lowest(operands[1], bits);
  constexpr unsigned kBallot = 32;
  const auto equal = [&] {
    const auto of_bits = bits == kBallot ? bits_.equal(operands[0], operands[1]) : std::nullopt;
    return of_bits ? *of_bits : pool().make(Op::eq, 1, a, b);
  };
  Expr out;
  switch (m.compare) {
    case isa::Compare::eq:
      out = equal();
      break;
    case isa::Compare::ne:
      out = pool().negation(equal());
      break;
    case isa::Compare::lt:
      out = less(of_signed, a, b);
      break;
    case isa::Compare::le:
      out = pool().negation(less(of_signed, b, a));
      break;
    case isa::Compare::gt:
      out = less(of_signed, b, a);
      break;
    case isa::Compare::ge:
      out = pool().negation(less(of_signed, a, b));
      break;
    case isa::Compare::none:
      return std::nullopt;
  }
  if (operands.size() > 2) {
    const std::optional<Op> combine = operation_of(m.combine);
    if (!combine) return std::nullopt;
    Expr predicate = lowest(operands[2], 1);
    if (step.is_negated(Role::predicate)) predicate = pool().negation(predicate);
    out = pool().make(*combine, 1, out, predicate);
  }
  return extended(out, 1, false);
}

Expr TermValues::selected(const Step& step, Operands operands) {
  const unsigned bits = step.bits;
  Expr predicate = lowest(operands[2], 1);
  if (step.is_negated(Role::predicate)) predicate = pool().negation(predicate);
  const Expr value = pool().make(Op::ite, static_cast<event::Width>(bits), predicate,
                                 lowest(operands[0], bits), lowest(operands[1], bits));
  return extended(value, bits, false);
}

Expr TermValues::converted(const Step& step, Expr value) {
  const isa::Modifiers& m = step.modifiers();
  const isa::Type from = m.source_type.value_or(*m.type);
  return extended(extended(value, from.bits, from.is_signed(), std::max<unsigned>(from.bits, m.type->bits)),
                  m.type->bits, false);
}

/// The amount has 32 bits; both clamp it.
std::optional<Expr> TermValues::shifted(const Step& step, Operands operands) {
  constexpr unsigned kAmount = 32;
  const isa::Modifiers& m = step.modifiers();
  const unsigned bits = m.type->bits;
  if (operands.size() != 2 || bits < kAmount) return std::nullopt;
  const bool left = step.instruction->opcode == Opcode::shl;
  const Op op = left ? Op::shl : m.type->is_signed() ? Op::shr_s : Op::shr_u;
  return operation(op, bits, operands[0], extended(operands[1], kAmount, false));
}

std::optional<Expr> TermValues::multiplied(const Step& step, Operands operands) {
  const isa::Modifiers& m = step.modifiers();
  const bool sums = step.instruction->opcode == Opcode::mad;
  const unsigned bits = m.type->bits;
  const bool known = step.instruction->opcode == Opcode::mul || sums;
  if (!known || operands.size() != (sums ? 3U : 2U) || !is_width(bits) || m.half == isa::MulHalf::hi)
    return std::nullopt;
  const bool wide = m.half == isa::MulHalf::wide;
  const unsigned to = wide ? bits * 2 : bits;
  if (!is_width(to)) return std::nullopt;
  const auto factor = [&](Expr value) { return extended(value, bits, m.type->is_signed()); };
  const Expr product = operation(Op::mul, to, factor(operands[0]), factor(operands[1]));
  return sums ? operation(Op::add, to, product, operands[2]) : product;
}

std::optional<Expr> TermValues::applied(const Step& step, Operands operands) {
  const isa::Modifiers& m = step.modifiers();
  const unsigned bits = m.type->bits;
  if (bits != 1 && !is_width(bits)) return std::nullopt;
  if (step.instruction->opcode == Opcode::not_ && operands.size() == 1)
    return extended(pool().make(Op::not_, static_cast<event::Width>(bits), lowest(operands[0], bits)), bits,
                    false);
  const std::optional<Op> op = operation_of(step.instruction->opcode, m.type->is_signed());
  if (!op || operands.size() != 2 || step.has(Role::predicate)) return std::nullopt;
  return operation(*op, bits, operands[0], operands[1]);
}

}  // namespace ptxmc::session

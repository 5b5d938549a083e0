// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/arithmetic.h"

#include <algorithm>

#include "ptx/integer/instruction.h"
#include "ptx/isa/compare.h"

namespace ptxmc::exec {

namespace {

using integer::Pattern;
using integer::Width;
using isa::Modifiers;
using isa::Opcode;

using Unary = Pattern (*)(Width, Pattern);
using Binary = Pattern (*)(Width, Pattern, Pattern);

template <Width width, Unary f>
void unary(Row* rows, const Step& step, LaneMask mask) {
  const Row& a = rows[step.sources[0]];
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) { to[l] = f(width, integer::wrap(a[l], width)); });
}

template <Width width, Binary f>
void binary(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]];
  Row& to = rows[step.to];
  for_lanes(mask,
            [&](unsigned l) { to[l] = f(width, integer::wrap(a[l], width), integer::wrap(b[l], width)); });
}

/// The amount of a shift has 32 bits, whatever the width.
template <Width width, Binary f>
void shift(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]];
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) { to[l] = f(width, integer::wrap(a[l], width), integer::wrap(b[l], 32)); });
}

/// Results of twice the width.
template <Width width, bool is_signed>
void wide_product(Row* rows, const Step& step, LaneMask mask) {
  constexpr Width kWide = 2 * width;
  const auto factor = [](Pattern x) {
    return is_signed ? integer::sign_extend(kWide, width, integer::wrap(x, width)) : integer::wrap(x, width);
  };
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]];
  const bool sums = step.source_count > 2;
  const Row& c = rows[sums ? step.sources[2] : step.sources[0]];
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) {
    const Pattern product = integer::mul(kWide, factor(a[l]), factor(b[l]));
    to[l] = sums ? integer::add(kWide, product, integer::wrap(c[l], kWide)) : product;
  });
}

template <Width width, Binary f>
void product_sum(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]], &c = rows[step.sources[2]];
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) {
    const Pattern product = f(width, integer::wrap(a[l], width), integer::wrap(b[l], width));
    to[l] = integer::add(width, product, integer::wrap(c[l], width));
  });
}

template <Unary f>
Compute of_width(unsigned bits) {
  switch (bits) {
    case 1:
      return unary<1, f>;
    case 8:
      return unary<8, f>;
    case 16:
      return unary<16, f>;
    case 32:
      return unary<32, f>;
    default:
      return unary<64, f>;
  }
}

template <Binary f>
Compute of_width(unsigned bits) {
  switch (bits) {
    case 1:
      return binary<1, f>;
    case 8:
      return binary<8, f>;
    case 16:
      return binary<16, f>;
    case 32:
      return binary<32, f>;
    default:
      return binary<64, f>;
  }
}

template <Binary f>
Compute shift_of(unsigned bits) {
  return bits == 16 ? shift<16, f> : bits == 32 ? shift<32, f> : shift<64, f>;
}

template <Binary f>
Compute product_sum_of(unsigned bits) {
  return bits == 16 ? product_sum<16, f> : bits == 32 ? product_sum<32, f> : product_sum<64, f>;
}

constexpr Pattern not_of(Width width, Pattern a) {
  return integer::wrap(~a, width);
}
constexpr Pattern and_of(Width, Pattern a, Pattern b) {
  return a & b;
}
constexpr Pattern or_of(Width, Pattern a, Pattern b) {
  return a | b;
}
constexpr Pattern xor_of(Width, Pattern a, Pattern b) {
  return a ^ b;
}
constexpr Pattern min_u(Width, Pattern a, Pattern b) {
  return std::min(a, b);
}
constexpr Pattern max_u(Width, Pattern a, Pattern b) {
  return std::max(a, b);
}
constexpr Pattern rem_u(Width, Pattern a, Pattern b) {
  return integer::rem_u(a, b);
}

template <isa::Compare compare, bool is_signed>
constexpr Pattern holds(Width width, Pattern a, Pattern b) {
  return isa::holds(compare, is_signed ? integer::less_s(width, a, b) : a < b, a == b);
}

Pattern predicate_at(const Row* rows, const Step& step, unsigned lane) {
  const Pattern truth = rows[step.slot(isa::Role::predicate)][lane] & 1U;
  return step.is_negated(isa::Role::predicate) ? truth ^ 1U : truth;
}

/// setp, with its second destination and what it is combined with; set: all ones, or 1.0, where it holds.
template <Width width, Binary relation>
void comparison(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]];
  const isa::BoolOp combine = step.modifiers().combine;
  const bool combines = combine != isa::BoolOp::none && step.has(isa::Role::predicate);
  for_lanes(mask, [&](unsigned l) {
    Pattern truth = relation(width, integer::wrap(a[l], width), integer::wrap(b[l], width));
    Pattern opposite = truth ^ 1U;
    if (combines) {
      const Pattern predicate = predicate_at(rows, step, l);
      truth = combined(combine, truth, predicate);
      opposite = combined(combine, opposite, predicate);
    }
    if (step.to != kNoSlot) rows[step.to][l] = truth;
    if (step.second != kNoSlot) rows[step.second][l] = opposite;
  });
}

template <Binary relation>
Compute comparison_of(unsigned bits) {
  return bits <= 16   ? comparison<16, relation>
         : bits == 32 ? comparison<32, relation>
                      : comparison<64, relation>;
}

template <bool is_signed>
Compute comparison_of(isa::Compare compare, unsigned bits) {
  using isa::Compare;
  switch (compare) {
    case Compare::eq:
      return comparison_of<holds<Compare::eq, is_signed>>(bits);
    case Compare::ne:
      return comparison_of<holds<Compare::ne, is_signed>>(bits);
    case Compare::lt:
      return comparison_of<holds<Compare::lt, is_signed>>(bits);
    case Compare::le:
      return comparison_of<holds<Compare::le, is_signed>>(bits);
    case Compare::gt:
      return comparison_of<holds<Compare::gt, is_signed>>(bits);
    case Compare::ge:
      return comparison_of<holds<Compare::ge, is_signed>>(bits);
    case Compare::none:
      break;
  }
  return nullptr;
}

void set_number(Row* rows, const Step& step, LaneMask mask) {
  const Modifiers& m = step.modifiers();
  const Compute compare = m.source_type->is_signed() ? comparison_of<true>(m.compare, m.source_type->bits)
                                                     : comparison_of<false>(m.compare, m.source_type->bits);
  compare(rows, step, mask);
  constexpr Pattern kOne = 0x3f800000;
  const Pattern truth = m.type->is_floating() ? kOne : integer::mask(static_cast<Width>(m.type->bits));
  for_lanes(mask, [&](unsigned l) { rows[step.to][l] = rows[step.to][l] != 0 ? truth : 0; });
}

void select(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]];
  const auto width = static_cast<Width>(step.bits);
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) {
    to[l] = integer::wrap(predicate_at(rows, step, l) != 0 ? a[l] : b[l], width);
  });
}

/// lop3 (9.7.7.6): bit 4a + 2b + c of the table is the result where the sources have the bits a, b and c.
void look_up(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]], &c = rows[step.sources[2]];
  const auto table = static_cast<unsigned>(rows[step.slot(isa::Role::table)][0]);
  for_lanes(mask, [&](unsigned l) {
    Pattern result = 0;
    for (unsigned row = 0; row < 8; ++row) {
      if ((table >> row & 1U) == 0) continue;
      const Pattern x = (row & 4U) != 0 ? a[l] : ~a[l], y = (row & 2U) != 0 ? b[l] : ~b[l],
                    z = (row & 1U) != 0 ? c[l] : ~c[l];
      result |= x & y & z;
    }
    result = integer::wrap(result, 32);
    if (step.to != kNoSlot) rows[step.to][l] = result;
    if (step.second == kNoSlot) return;
    const Pattern some = result != 0 ? 1 : 0;
    rows[step.second][l] = combined(step.modifiers().combine, some, predicate_at(rows, step, l));
  });
}

/// cvt between integers.
void convert(Row* rows, const Step& step, LaneMask mask) {
  const Modifiers& m = step.modifiers();
  const isa::Type to_type = m.type.value_or(isa::Type{isa::TypeClass::signed_, 64});
  const isa::Type from_type = m.source_type.value_or(to_type);
  const auto from = static_cast<Width>(from_type.bits), width = static_cast<Width>(to_type.bits);
  const bool extends = from_type.is_signed();
  const Row& a = rows[step.sources[0]];
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) {
    const Pattern value = integer::wrap(a[l], from);
    to[l] = extends ? integer::sign_extend(width, from, value) : integer::wrap(value, width);
  });
}

/// Pure::bits (ptx/integer/instruction.h).
void on_bits(Row* rows, const Step& step, LaneMask mask) {
  const Modifiers& m = step.modifiers();
  integer::Numbers algebra;
  const Slot carry = step.slot(isa::Role::state);
  for_lanes(mask, [&](unsigned l) {
    std::array<integer::Number, kMostSources> sources;
    for (std::size_t i = 0; i < step.source_count; ++i)
      sources[i] =
          integer::Numbers::constant(rows[step.sources[i]][l], static_cast<Width>(step.source_bits[i]));
    std::optional<integer::Number> in;
    if (carry != kNoSlot) in = integer::Numbers::constant(rows[carry][l], 1);
    const auto result = integer::Instruction<integer::Numbers>(algebra, step.instruction->opcode, m,
                                                               {sources.data(), step.source_count}, in)
                            .run();
    rows[step.to][l] = result.value.pattern;
    if (result.carry) rows[carry][l] = result.carry->pattern;
  });
}

/// mov that copies: its source is as wide as its result.
void copy(Row* rows, const Step& step, LaneMask mask) {
  const Row& a = rows[step.sources[0]];
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) { to[l] = a[l]; });
}

/// mov that packs `{...}` (9.7.8.4).
void pack(Row* rows, const Step& step, LaneMask mask) {
  const auto part = static_cast<Width>(step.source_bits[0]);
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) {
    Pattern value = 0;
    for (std::size_t i = 0; i < step.source_count; ++i)
      value |= integer::wrap(rows[step.sources[i]][l], part) << (i * part);
    to[l] = value;
  });
}

/// mov that unpacks; of .b128 the halves are the sources.
void unpack(Row* rows, const Step& step, LaneMask mask) {
  const auto part = static_cast<Width>(step.source_bits[0]);
  const std::size_t each = 64U / part;
  for_lanes(mask, [&](unsigned l) {
    const std::array<Pattern, 2> words{rows[step.sources[0]][l],
                                       step.source_count > 1 ? rows[step.sources[1]][l] : 0};
    for (std::size_t i = 0; i < step.elements.size(); ++i) {
      if (step.elements[i] == kNoSlot) continue;
      rows[step.elements[i]][l] = integer::wrap(words[i / each] >> (i % each * part), part);
    }
  });
}

Compute move_of(const program::Instruction& instruction) {
  const program::Operand& to = instruction.operand(isa::Role::result);
  const program::Operand& from = instruction.operand(isa::Role::a);
  const bool wide = instruction.modifiers.type && instruction.modifiers.type->bits == 128;
  if (to.elements() != 0 || wide) return unpack;
  return from.elements() != 0 ? pack : copy;
}

Compute product_of(const program::Instruction& instruction, unsigned bits, bool is_signed) {
  const bool sums = instruction.opcode == Opcode::mad;
  switch (instruction.modifiers.half) {
    case isa::MulHalf::wide:
      if (bits == 16) return is_signed ? wide_product<16, true> : wide_product<16, false>;
      return is_signed ? wide_product<32, true> : wide_product<32, false>;
    case isa::MulHalf::hi:
      if (sums)
        return is_signed ? product_sum_of<integer::mulhi_s>(bits) : product_sum_of<integer::mulhi_u>(bits);
      return is_signed ? of_width<integer::mulhi_s>(bits) : of_width<integer::mulhi_u>(bits);
    case isa::MulHalf::lo:
    case isa::MulHalf::none:
      break;
  }
  return sums ? product_sum_of<integer::mul>(bits) : of_width<integer::mul>(bits);
}

Compute applied(const program::Instruction& instruction, unsigned bits, bool is_signed) {
  switch (instruction.opcode) {
    case Opcode::add:
      return of_width<integer::add>(bits);
    case Opcode::sub:
      return of_width<integer::sub>(bits);
    case Opcode::div:
      return is_signed ? of_width<integer::div_s>(bits) : of_width<integer::div_u>(bits);
    case Opcode::rem:
      return is_signed ? of_width<integer::rem_s>(bits) : of_width<rem_u>(bits);
    case Opcode::min:
      return is_signed ? of_width<integer::min_s>(bits) : of_width<min_u>(bits);
    case Opcode::max:
      return is_signed ? of_width<integer::max_s>(bits) : of_width<max_u>(bits);
    case Opcode::abs:
      return of_width<integer::abs>(bits);
    case Opcode::neg:
      return of_width<integer::neg>(bits);
    case Opcode::and_:
      return of_width<and_of>(bits);
    case Opcode::or_:
      return of_width<or_of>(bits);
    case Opcode::xor_:
      return of_width<xor_of>(bits);
    case Opcode::not_:
      return of_width<not_of>(bits);
    case Opcode::lop3:
      return look_up;
    default:
      return nullptr;
  }
}

}  // namespace

bool is_floating(const Modifiers& m) {
  return (m.type && m.type->is_floating()) || (m.source_type && m.source_type->is_floating());
}

std::uint64_t combined(isa::BoolOp combine, std::uint64_t truth, std::uint64_t predicate) {
  switch (combine) {
    case isa::BoolOp::and_:
      return truth & predicate;
    case isa::BoolOp::or_:
      return truth | predicate;
    case isa::BoolOp::xor_:
      return truth ^ predicate;
    case isa::BoolOp::none:
      break;
  }
  return truth;
}

std::uint16_t result_bits(const program::Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  const program::Operand* to = instruction.find(isa::Role::result);
  if (to != nullptr) {
    const auto use = program::use_of(*to, m);
    if (use && use->exact && m.type && m.type->bits != 8) return use->bits;
  }
  if (!m.type) return 64;
  return m.half == isa::MulHalf::wide ? static_cast<std::uint16_t>(m.type->bits * 2) : m.type->bits;
}

Compute compute_of(const program::Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  const unsigned bits = m.type ? m.type->bits : 64;
  const bool is_signed = !m.type || m.type->is_signed();
  const isa::Pure pure = isa::pure_of(instruction.opcode, m);
  if (pure == isa::Pure::move) return move_of(instruction);
  if (pure == isa::Pure::select) return select;
  if (pure == isa::Pure::bits) return on_bits;
  if (instruction.opcode == Opcode::set) return m.source_type->is_floating() ? nullptr : set_number;
  if (pure == isa::Pure::function || is_floating(m)) return floating_compute_of(instruction);
  switch (pure) {
    case isa::Pure::convert:
      return convert;
    case isa::Pure::compare:
      return is_signed ? comparison_of<true>(m.compare, bits) : comparison_of<false>(m.compare, bits);
    case isa::Pure::product:
      return product_of(instruction, bits, is_signed);
    case isa::Pure::shift:
      if (instruction.opcode == Opcode::shl) return shift_of<integer::shl>(bits);
      return is_signed ? shift_of<integer::shr_s>(bits) : shift_of<integer::shr_u>(bits);
    case isa::Pure::apply:
      return applied(instruction, bits, is_signed);
    default:
      return nullptr;
  }
}

}  // namespace ptxmc::exec

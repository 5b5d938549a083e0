// SPDX-License-Identifier: Apache-2.0
// Which operations of bits.h an instruction on integers is (isa::Pure::bits), over any algebra: numbers, or expressions.
//
// Beside what bits.h asks for, an Algebra has `mulhi_s mulhi_u min_s min_u max_s max_u (x, y)` on equal widths.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "ptx/integer/bits.h"
#include "ptx/isa/isa.h"
#include "support/check.h"

namespace ptxmc::integer {

template <typename Value>
struct InstructionResult {
  Value value;
  std::optional<Value> carry;
};

inline Permutation permutation_of(const isa::Modifiers& m) {
  constexpr std::pair<isa::Variant, Permutation> kModes[] = {
      {isa::Variant::f4e, Permutation::f4e}, {isa::Variant::b4e, Permutation::b4e},
      {isa::Variant::rc8, Permutation::rc8}, {isa::Variant::ecl, Permutation::ecl},
      {isa::Variant::ecr, Permutation::ecr}, {isa::Variant::rc16, Permutation::rc16}};
  for (const auto& [variant, mode] : kModes) {
    if (m.variants.has(variant)) return mode;
  }
  return Permutation::generic;
}

template <typename Algebra>
class Instruction {
 public:
  using Value = typename Algebra::Value;
  using Result = InstructionResult<Value>;

  /// `sources` are those of the instruction in their order, each of the width of its place. `carry`: what came in, where
  /// the instruction uses or sets it.
  Instruction(Algebra& algebra, isa::Opcode opcode, const isa::Modifiers& m, std::span<const Value> sources,
              std::optional<Value> carry)
      : algebra_(algebra), bits_(algebra), opcode_(opcode), m_(m), sources_(sources), carry_(carry) {}

  Result run() {
    if (carry_) return carried();
    if (m_.packed != isa::Packed::none) return {packed(), {}};
    return {plain(), {}};
  }

 private:
  Value at(std::size_t i) const { return sources_[i]; }
  bool is_signed() const { return m_.type->is_signed(); }
  bool from_signed() const { return m_.source_type && m_.source_type->is_signed(); }
  Width width() const { return static_cast<Width>(m_.type->bits); }
  Excess excess() const { return m_.variants.has(isa::Variant::wrap) ? Excess::wrap : Excess::clamp; }
  bool high() const { return m_.half == isa::MulHalf::hi; }
  Value wide(Value x) { return bits_.resized(x, 64, is_signed()); }

  Value plain();
  Value saturated();
  Value packed();
  Result carried();
  Value extremum(Value x, Value y, bool of_signed);

  Algebra& algebra_;
  Bits<Algebra> bits_;
  isa::Opcode opcode_;
  const isa::Modifiers& m_;
  std::span<const Value> sources_;
  std::optional<Value> carry_;
};

/// What an opcode of the "Bits" of isa::Opcode computes.
template <typename Algebra>
struct Definition {
  isa::Opcode opcode;
  typename Algebra::Value (*compute)(Instruction<Algebra>&);
};

/// A row for each of them, in their order.
template <std::size_t N, typename Algebra>
constexpr bool are_complete(const Definition<Algebra> (&rows)[N]) {
  constexpr auto kFirst = static_cast<std::size_t>(isa::Opcode::mul24);
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(rows[i].opcode) != kFirst + i) return false;
  }
  return kFirst + N == static_cast<std::size_t>(isa::Opcode::set);
}

template <typename Algebra>
auto Instruction<Algebra>::plain() -> Value {
  using I = Instruction<Algebra>;
  using isa::Opcode;
  static constexpr Definition<Algebra> kRows[] = {
      {Opcode::mul24, [](I& i) { return i.bits_.mul24(i.at(0), i.at(1), i.high(), i.is_signed()); }},
      {Opcode::mad24, [](I& i) { return i.saturated(); }},
      {Opcode::sad, [](I& i) { return i.bits_.sad(i.at(0), i.at(1), i.at(2), i.is_signed()); }},
      {Opcode::popc, [](I& i) { return i.bits_.popc(i.at(0)); }},
      {Opcode::clz, [](I& i) { return i.bits_.clz(i.at(0)); }},
      {Opcode::bfind,
       [](I& i) { return i.bits_.bfind(i.at(0), i.is_signed(), i.m_.variants.has(isa::Variant::shiftamt)); }},
      {Opcode::fns, [](I& i) { return i.bits_.fns(i.at(0), i.at(1), i.at(2)); }},
      {Opcode::brev, [](I& i) { return i.bits_.brev(i.at(0)); }},
      {Opcode::bfe, [](I& i) { return i.bits_.bfe(i.at(0), i.at(1), i.at(2), i.is_signed()); }},
      {Opcode::bfi, [](I& i) { return i.bits_.bfi(i.at(0), i.at(1), i.at(2), i.at(3)); }},
      {Opcode::szext, [](I& i) { return i.bits_.szext(i.at(0), i.at(1), i.excess(), i.is_signed()); }},
      {Opcode::bmsk, [](I& i) { return i.bits_.bmsk(i.at(0), i.at(1), i.excess()); }},
      {Opcode::dp4a,
       [](I& i) { return i.bits_.dp4a(i.at(0), i.at(1), i.at(2), i.is_signed(), i.from_signed()); }},
      {Opcode::dp2a,
       [](I& i) {
         return i.bits_.dp2a(i.at(0), i.at(1), i.at(2), i.is_signed(), i.from_signed(), i.high());
       }},
      {Opcode::cnot, [](I& i) { return i.bits_.cnot(i.at(0)); }},
      {Opcode::shf,
       [](I& i) {
         return i.bits_.shf(i.at(0), i.at(1), i.at(2), i.m_.variants.has(isa::Variant::left), i.excess());
       }},
      {Opcode::prmt, [](I& i) { return i.bits_.prmt(i.at(0), i.at(1), i.at(2), permutation_of(i.m_)); }},
      {Opcode::slct,
       [](I& i) {
         const Value zero = i.algebra_.constant(0, i.algebra_.width(i.at(2)));
         return i.algebra_.choose(i.algebra_.less_s(i.at(2), zero), i.at(1), i.at(0));
       }},
  };
  static_assert(are_complete(kRows), "a definition for each opcode of bits, in the order of Opcode");
  if (opcode_ >= Opcode::mul24 && opcode_ < Opcode::set)
    return kRows[static_cast<std::size_t>(opcode_) - static_cast<std::size_t>(Opcode::mul24)].compute(*this);
  if (opcode_ == Opcode::min || opcode_ == Opcode::max) return extremum(at(0), at(1), true);
  return saturated();
}

/// Exact in 64 bits, and then the nearest number of the type.

template <typename Algebra>
auto Instruction<Algebra>::saturated() -> Value {
  const auto near = [&](Value exact) { return bits_.saturate(exact, true, width(), true); };
  switch (opcode_) {
    case isa::Opcode::add:
      return near(algebra_.add(wide(at(0)), wide(at(1))));
    case isa::Opcode::sub:
      return near(algebra_.sub(wide(at(0)), wide(at(1))));
    case isa::Opcode::mad:
      return near(algebra_.add(wide(algebra_.mulhi_s(at(0), at(1))), wide(at(2))));
    case isa::Opcode::mad24: {
      const Value product = bits_.mul24(at(0), at(1), high(), is_signed());
      const bool sat = m_.variants.has(isa::Variant::sat);
      return sat ? near(algebra_.add(wide(product), wide(at(2)))) : algebra_.add(product, at(2));
    }
    case isa::Opcode::cvt: {
      const bool from_signed = m_.source_type->is_signed();
      return bits_.saturate(bits_.resized(at(0), 64, from_signed), from_signed, width(), is_signed());
    }
    default:
      break;
  }
  PTXMC_CHECK(false, "an instruction on bits without a definition");
  return at(0);
}

template <typename Algebra>
auto Instruction<Algebra>::extremum(Value x, Value y, bool of_signed) -> Value {
  const bool least = opcode_ == isa::Opcode::min;
  const Value result = of_signed ? (least ? algebra_.min_s(x, y) : algebra_.max_s(x, y))
                                 : (least ? algebra_.min_u(x, y) : algebra_.max_u(x, y));
  if (!m_.variants.has(isa::Variant::relu)) return result;
  return algebra_.max_s(result, algebra_.constant(0, algebra_.width(x)));
}

/// Each half by itself.

template <typename Algebra>
auto Instruction<Algebra>::packed() -> Value {
  constexpr Width kHalf = 16;
  Value result = algebra_.constant(0, 2 * kHalf);
  for (Width begin = 0; begin < 2 * kHalf; begin = static_cast<Width>(begin + kHalf)) {
    const Value by = algebra_.constant(begin, 2 * kHalf);
    const Value x = algebra_.truncate(algebra_.shr_u(at(0), by), kHalf);
    const Value y = algebra_.truncate(algebra_.shr_u(at(1), by), kHalf);
    const Value half =
        opcode_ == isa::Opcode::add ? algebra_.add(x, y) : extremum(x, y, m_.packed == isa::Packed::s16x2);
    result = algebra_.or_(result, algebra_.shl(algebra_.zero_extend(half, 2 * kHalf), by));
  }
  return result;
}

template <typename Algebra>
auto Instruction<Algebra>::carried() -> Result {
  const bool begins =
      opcode_ == isa::Opcode::add || opcode_ == isa::Opcode::sub || opcode_ == isa::Opcode::mad;
  const Value in = begins ? algebra_.constant(0, 1) : *carry_;
  const bool subtracts = opcode_ == isa::Opcode::sub || opcode_ == isa::Opcode::subc;
  const bool multiplies = opcode_ == isa::Opcode::mad || opcode_ == isa::Opcode::madc;
  typename Bits<Algebra>::Carried result;
  if (subtracts) {
    result = bits_.sub_borrow(at(0), at(1), in);
  } else if (multiplies) {
    const Value product = !high()       ? algebra_.mul(at(0), at(1))
                          : is_signed() ? algebra_.mulhi_s(at(0), at(1))
                                        : algebra_.mulhi_u(at(0), at(1));
    result = bits_.add_carry(product, at(2), in);
  } else {
    result = bits_.add_carry(at(0), at(1), in);
  }
  Result out{result.value, {}};
  if (m_.variants.has(isa::Variant::carry)) out.carry = result.carry;
  return out;
}

}  // namespace ptxmc::integer

// SPDX-License-Identifier: Apache-2.0
// Which operations of bits.h an instruction on integers is (isa::Pure::bits), over any algebra: numbers, or expressions.
//
// Beside what bits.h asks for, an Algebra has `mulhi_s mulhi_u min_s min_u max_s max_u (x, y)` on equal widths.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "integer/bits.h"
#include "isa/isa.h"
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

template <typename Algebra>
auto Instruction<Algebra>::plain() -> Value {
  const bool from_signed = m_.source_type && m_.source_type->is_signed();
  switch (opcode_) {
    case isa::Opcode::mul24:
      return bits_.mul24(at(0), at(1), high(), is_signed());
    case isa::Opcode::sad:
      return bits_.sad(at(0), at(1), at(2), is_signed());
    case isa::Opcode::popc:
      return bits_.popc(at(0));
    case isa::Opcode::clz:
      return bits_.clz(at(0));
    case isa::Opcode::bfind:
      return bits_.bfind(at(0), is_signed(), m_.variants.has(isa::Variant::shiftamt));
    case isa::Opcode::fns:
      return bits_.fns(at(0), at(1), at(2));
    case isa::Opcode::brev:
      return bits_.brev(at(0));
    case isa::Opcode::bfe:
      return bits_.bfe(at(0), at(1), at(2), is_signed());
    case isa::Opcode::bfi:
      return bits_.bfi(at(0), at(1), at(2), at(3));
    case isa::Opcode::szext:
      return bits_.szext(at(0), at(1), excess(), is_signed());
    case isa::Opcode::bmsk:
      return bits_.bmsk(at(0), at(1), excess());
    case isa::Opcode::dp4a:
      return bits_.dp4a(at(0), at(1), at(2), is_signed(), from_signed);
    case isa::Opcode::dp2a:
      return bits_.dp2a(at(0), at(1), at(2), is_signed(), from_signed, high());
    case isa::Opcode::cnot:
      return bits_.cnot(at(0));
    case isa::Opcode::shf:
      return bits_.shf(at(0), at(1), at(2), m_.variants.has(isa::Variant::left), excess());
    case isa::Opcode::prmt:
      return bits_.prmt(at(0), at(1), at(2), permutation_of(m_));
    case isa::Opcode::slct:
      return algebra_.choose(algebra_.less_s(at(2), algebra_.constant(0, algebra_.width(at(2)))), at(1),
                             at(0));
    case isa::Opcode::min:
    case isa::Opcode::max:
      return extremum(at(0), at(1), true);
    default:
      return saturated();
  }
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

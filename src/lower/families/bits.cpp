// SPDX-License-Identifier: Apache-2.0
// The operations of integer/bits.h on expressions: which one an instruction is.
#include "lower/families/bits.h"

#include "integer/bits.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Op;
using event::Width;
using integer::Excess;
using isa::Modifiers;
using isa::Opcode;
using isa::Variant;

/// Expressions as an algebra (integer/bits.h).
class Expressions {
 public:
  using Value = Expr;
  explicit Expressions(event::ExprPool& pool) : pool_(pool) {}

  Expr constant(integer::Pattern pattern, Width width) {
    return pool_.constant(static_cast<event::Value>(pattern), width);
  }
  Width width(Expr x) const { return pool_[x].width; }
  Expr add(Expr x, Expr y) { return same(Op::add, x, y); }
  Expr sub(Expr x, Expr y) { return same(Op::sub, x, y); }
  Expr mul(Expr x, Expr y) { return same(Op::mul, x, y); }
  Expr and_(Expr x, Expr y) { return same(Op::and_, x, y); }
  Expr or_(Expr x, Expr y) { return same(Op::or_, x, y); }
  Expr xor_(Expr x, Expr y) { return same(Op::xor_, x, y); }
  Expr shl(Expr x, Expr y) { return same(Op::shl, x, y); }
  Expr shr_u(Expr x, Expr y) { return same(Op::shr_u, x, y); }
  Expr shr_s(Expr x, Expr y) { return same(Op::shr_s, x, y); }
  Expr not_(Expr x) { return pool_.make(Op::not_, width(x), x); }
  Expr less_u(Expr x, Expr y) { return pool_.make(Op::lt_u, 1, x, y); }
  Expr less_s(Expr x, Expr y) { return pool_.make(Op::lt_s, 1, x, y); }
  Expr equal(Expr x, Expr y) { return pool_.make(Op::eq, 1, x, y); }
  Expr choose(Expr bit, Expr x, Expr y) { return pool_.make(Op::ite, width(x), bit, x, y); }
  Expr zero_extend(Expr x, Width width) { return pool_.make(Op::zero_extend, width, x); }
  Expr sign_extend(Expr x, Width width) { return pool_.make(Op::sign_extend, width, x); }
  Expr truncate(Expr x, Width width) { return pool_.make(Op::truncate, width, x); }

 private:
  Expr same(Op op, Expr x, Expr y) { return pool_.make(op, width(x), x, y); }
  event::ExprPool& pool_;
};

using Bits = integer::Bits<Expressions>;

integer::Permutation permutation_of(const Modifiers& m) {
  constexpr std::pair<Variant, integer::Permutation> kModes[] = {
      {Variant::f4e, integer::Permutation::f4e}, {Variant::b4e, integer::Permutation::b4e},
      {Variant::rc8, integer::Permutation::rc8}, {Variant::ecl, integer::Permutation::ecl},
      {Variant::ecr, integer::Permutation::ecr}, {Variant::rc16, integer::Permutation::rc16}};
  for (const auto& [variant, mode] : kModes) {
    if (m.variants.has(variant)) return mode;
  }
  return integer::Permutation::generic;
}

class Instructions {
 public:
  Instructions(event::ExprPool& pool, Opcode opcode, const Modifiers& m, const std::vector<Expr>& sources,
               std::optional<Expr> carry)
      : algebra_(pool),
        bits_(algebra_),
        pool_(pool),
        opcode_(opcode),
        m_(m),
        sources_(sources),
        carry_(carry) {}

  IntegerResult run() {
    if (carry_) return carried();
    if (m_.packed != isa::Packed::none) return {packed()};
    return {plain()};
  }

 private:
  Expr at(std::size_t i) const { return sources_.at(i); }
  bool is_signed() const { return m_.type->is_signed(); }
  Width width() const { return static_cast<Width>(m_.type->bits); }
  Excess excess() const { return m_.variants.has(Variant::wrap) ? Excess::wrap : Excess::clamp; }
  bool high() const { return m_.half == isa::MulHalf::hi; }
  Expr wide(Expr x) { return bits_.resized(x, 64, is_signed()); }

  Expr plain();
  Expr saturated();
  Expr packed();
  IntegerResult carried();
  Expr extremum(Expr x, Expr y, bool of_signed);

  Expressions algebra_;
  Bits bits_;
  event::ExprPool& pool_;
  Opcode opcode_;
  const Modifiers& m_;
  const std::vector<Expr>& sources_;
  std::optional<Expr> carry_;
};

Expr Instructions::plain() {
  const bool from_signed = m_.source_type && m_.source_type->is_signed();
  switch (opcode_) {
    case Opcode::mul24:
      return bits_.mul24(at(0), at(1), high(), is_signed());
    case Opcode::sad:
      return bits_.sad(at(0), at(1), at(2), is_signed());
    case Opcode::popc:
      return bits_.popc(at(0));
    case Opcode::clz:
      return bits_.clz(at(0));
    case Opcode::bfind:
      return bits_.bfind(at(0), is_signed(), m_.variants.has(Variant::shiftamt));
    case Opcode::fns:
      return bits_.fns(at(0), at(1), at(2));
    case Opcode::brev:
      return bits_.brev(at(0));
    case Opcode::bfe:
      return bits_.bfe(at(0), at(1), at(2), is_signed());
    case Opcode::bfi:
      return bits_.bfi(at(0), at(1), at(2), at(3));
    case Opcode::szext:
      return bits_.szext(at(0), at(1), excess(), is_signed());
    case Opcode::bmsk:
      return bits_.bmsk(at(0), at(1), excess());
    case Opcode::dp4a:
      return bits_.dp4a(at(0), at(1), at(2), is_signed(), from_signed);
    case Opcode::dp2a:
      return bits_.dp2a(at(0), at(1), at(2), is_signed(), from_signed, high());
    case Opcode::cnot:
      return bits_.cnot(at(0));
    case Opcode::shf:
      return bits_.shf(at(0), at(1), at(2), m_.variants.has(Variant::left), excess());
    case Opcode::prmt:
      return bits_.prmt(at(0), at(1), at(2), permutation_of(m_));
    case Opcode::slct:
      return algebra_.choose(algebra_.less_s(at(2), algebra_.constant(0, algebra_.width(at(2)))), at(1),
                             at(0));
    case Opcode::min:
    case Opcode::max:
      return extremum(at(0), at(1), true);
    default:
      return saturated();
  }
}

/// Exact in 64 bits, and then the nearest number of the type.
Expr Instructions::saturated() {
  const auto near = [&](Expr exact) { return bits_.saturate(exact, true, width(), true); };
  switch (opcode_) {
    case Opcode::add:
      return near(algebra_.add(wide(at(0)), wide(at(1))));
    case Opcode::sub:
      return near(algebra_.sub(wide(at(0)), wide(at(1))));
    case Opcode::mad:
      return near(algebra_.add(wide(pool_.make(Op::mulhi_s, width(), at(0), at(1))), wide(at(2))));
    case Opcode::mad24: {
      const Expr product = bits_.mul24(at(0), at(1), high(), is_signed());
      const bool sat = m_.variants.has(Variant::sat);
      return sat ? near(algebra_.add(wide(product), wide(at(2)))) : algebra_.add(product, at(2));
    }
    case Opcode::cvt: {
      const bool from_signed = m_.source_type->is_signed();
      return bits_.saturate(bits_.resized(at(0), 64, from_signed), from_signed, width(), is_signed());
    }
    default:
      break;
  }
  PTXMC_CHECK(false, "an instruction on bits without a definition");
  return at(0);
}

Expr Instructions::extremum(Expr x, Expr y, bool of_signed) {
  const bool least = opcode_ == Opcode::min;
  const Op op = of_signed ? (least ? Op::min_s : Op::max_s) : (least ? Op::min_u : Op::max_u);
  const Width width = algebra_.width(x);
  const Expr result = pool_.make(op, width, x, y);
  if (!m_.variants.has(Variant::relu)) return result;
  return pool_.make(Op::max_s, width, result, pool_.constant(0, width));
}

/// Each half by itself.
Expr Instructions::packed() {
  constexpr Width kHalf = 16;
  Expr result = algebra_.constant(0, 2 * kHalf);
  for (Width begin = 0; begin < 2 * kHalf; begin = static_cast<Width>(begin + kHalf)) {
    const Expr by = algebra_.constant(begin, 2 * kHalf);
    const Expr x = algebra_.truncate(algebra_.shr_u(at(0), by), kHalf);
    const Expr y = algebra_.truncate(algebra_.shr_u(at(1), by), kHalf);
    const Expr half =
        opcode_ == Opcode::add ? algebra_.add(x, y) : extremum(x, y, m_.packed == isa::Packed::s16x2);
    result = algebra_.or_(result, algebra_.shl(algebra_.zero_extend(half, 2 * kHalf), by));
  }
  return result;
}

IntegerResult Instructions::carried() {
  const bool begins = opcode_ == Opcode::add || opcode_ == Opcode::sub || opcode_ == Opcode::mad;
  const Expr in = begins ? pool_.truth(false) : *carry_;
  const bool subtracts = opcode_ == Opcode::sub || opcode_ == Opcode::subc;
  const bool multiplies = opcode_ == Opcode::mad || opcode_ == Opcode::madc;
  Bits::Carried result;
  if (subtracts) {
    result = bits_.sub_borrow(at(0), at(1), in);
  } else if (multiplies) {
    const Op op = !high() ? Op::mul : is_signed() ? Op::mulhi_s : Op::mulhi_u;
    result = bits_.add_carry(pool_.make(op, width(), at(0), at(1)), at(2), in);
  } else {
    result = bits_.add_carry(at(0), at(1), in);
  }
  IntegerResult out{result.value};
  if (m_.variants.has(Variant::carry)) out.carry = result.carry;
  return out;
}

}  // namespace

IntegerResult integer_result(event::ExprPool& pool, Opcode opcode, const Modifiers& modifiers,
                             const std::vector<Expr>& sources, std::optional<Expr> carry) {
  return Instructions(pool, opcode, modifiers, sources, carry).run();
}

}  // namespace ptxmc::lower

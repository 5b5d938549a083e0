// SPDX-License-Identifier: Apache-2.0
// What PTX does with bits and integers beyond single operations (9.7.1, 9.7.2, 9.7.7, 9.7.8.7), each once, out of the
// operations of an algebra: of numbers (Numbers below), or of expressions over what a program reads.
//
// An Algebra has a type Value of a known width, and `constant(pattern, width)`, `width(x)`, `add sub mul and_ or_ xor_
// shl shr_u shr_s (x, y)` on equal widths, `not_(x)`, `less_u less_s equal (x, y)` to one bit, `choose(bit, x, y)`,
// and `zero_extend sign_extend truncate (x, width)`. Shifts clamp at the width, as in arithmetic.h.
#pragma once

#include "ptx/integer/arithmetic.h"

namespace ptxmc::integer {

/// Patterns that know their width.
struct Number {
  Pattern pattern = 0;
  Width bits = 32;
  friend constexpr bool operator==(const Number&, const Number&) = default;
};

struct Numbers {
  using Value = Number;
  static constexpr Number constant(Pattern pattern, Width width) { return {wrap(pattern, width), width}; }
  static constexpr Width width(Number x) { return x.bits; }
  static constexpr Number add(Number x, Number y) {
    return {integer::add(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number sub(Number x, Number y) {
    return {integer::sub(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number mul(Number x, Number y) {
    return {integer::mul(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number mulhi_s(Number x, Number y) {
    return {integer::mulhi_s(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number mulhi_u(Number x, Number y) {
    return {integer::mulhi_u(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number min_s(Number x, Number y) { return less(x, y) ? x : y; }
  static constexpr Number max_s(Number x, Number y) { return less(x, y) ? y : x; }
  static constexpr Number min_u(Number x, Number y) { return x.pattern < y.pattern ? x : y; }
  static constexpr Number max_u(Number x, Number y) { return x.pattern < y.pattern ? y : x; }
  static constexpr Number and_(Number x, Number y) { return {x.pattern & y.pattern, x.bits}; }
  static constexpr Number or_(Number x, Number y) { return {x.pattern | y.pattern, x.bits}; }
  static constexpr Number xor_(Number x, Number y) { return {x.pattern ^ y.pattern, x.bits}; }
  static constexpr Number not_(Number x) { return constant(~x.pattern, x.bits); }
  static constexpr Number shl(Number x, Number y) {
    return {integer::shl(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number shr_u(Number x, Number y) {
    return {integer::shr_u(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number shr_s(Number x, Number y) {
    return {integer::shr_s(x.bits, x.pattern, y.pattern), x.bits};
  }
  static constexpr Number less_u(Number x, Number y) { return {x.pattern < y.pattern ? 1U : 0U, 1}; }
  static constexpr Number less_s(Number x, Number y) { return {less(x, y) ? 1U : 0U, 1}; }
  static constexpr Number equal(Number x, Number y) { return {x.pattern == y.pattern ? 1U : 0U, 1}; }
  static constexpr Number choose(Number bit, Number x, Number y) { return bit.pattern != 0 ? x : y; }
  static constexpr Number zero_extend(Number x, Width width) { return {x.pattern, width}; }
  static constexpr Number sign_extend(Number x, Width width) {
    return {integer::sign_extend(width, x.bits, x.pattern), width};
  }
  static constexpr Number truncate(Number x, Width width) { return constant(x.pattern, width); }

 private:
  static constexpr bool less(Number x, Number y) { return integer::less_s(x.bits, x.pattern, y.pattern); }
};

/// What to do with a shift amount, or a number of bits, that is too large.
enum class Excess : std::uint8_t { clamp, wrap };

/// Modes of prmt.
enum class Permutation : std::uint8_t { generic, f4e, b4e, rc8, ecl, ecr, rc16 };

template <typename Algebra>
class Bits {
 public:
  using Value = typename Algebra::Value;
  /// A result with the bit that it carries or borrows.
  struct Carried {
    Value value, carry;
  };

  explicit Bits(Algebra& algebra) : a_(algebra) {}

  // ---- Counting and finding (9.7.1.14 to 9.7.1.18): counts have 32 bits --------------------------------------
  Value popc(Value x) {
    const Width w = a_.width(x);
    const auto pairs = pattern(w, 0x5555555555555555), quads = pattern(w, 0x3333333333333333);
    x = a_.sub(x, a_.and_(right(x, 1), pairs));
    x = a_.add(a_.and_(x, quads), a_.and_(right(x, 2), quads));
    x = a_.and_(a_.add(x, right(x, 4)), pattern(w, 0x0f0f0f0f0f0f0f0f));
    return word(right(a_.mul(x, pattern(w, 0x0101010101010101)), static_cast<Width>(w - 8)));
  }

  Value clz(Value x) {
    for (Width by = 1; by < a_.width(x); by = static_cast<Width>(by * 2)) x = a_.or_(x, right(x, by));
    return popc(a_.not_(x));
  }

  /// The highest bit that is no sign; none: all ones. `shift`: by how many places it is from the top.
  Value bfind(Value x, bool is_signed, bool shift) {
    const Width w = a_.width(x);
    if (is_signed) x = a_.choose(a_.less_s(x, pattern(w, 0)), a_.not_(x), x);
    const Value zeros = clz(x), top = number(w - 1U);
    if (!shift) return a_.sub(top, zeros);
    return a_.choose(a_.equal(zeros, number(w)), number(~Pattern{0}), zeros);
  }

  Value brev(Value x) {
    const Width w = a_.width(x);
    const Pattern masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                             0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    Width by = 1;
    for (const Pattern mask : masks) {
      if (by == w) break;
      const Value kept = pattern(w, mask);
      x = a_.or_(a_.and_(right(x, by), kept), left(a_.and_(x, kept), by));
      by = static_cast<Width>(by * 2);
    }
    return x;
  }

  /// The offset-th set bit of the mask from `base` on, upwards or downwards; a base beyond 31 is undefined.
  Value fns(Value mask, Value base, Value offset) {
    const Value zero = number(0), none = number(~Pattern{0});
    const Value backwards = a_.less_s(offset, zero);
    const Value wanted = a_.choose(backwards, a_.sub(zero, offset), offset);
    const Value at_base = bit_at(mask, base);
    Value up = none, down = none, seen_up = zero, seen_down = zero;
    for (unsigned i = 0; i < 32; ++i) {
      const Value at = number(i), opposite = number(31 - i);
      seen_up = count(seen_up, bit_at(mask, at), not_bit(a_.less_u(at, base)));
      up = first(up, a_.equal(seen_up, wanted), bit_at(mask, at), at);
      seen_down = count(seen_down, bit_at(mask, opposite), not_bit(a_.less_u(base, opposite)));
      down = first(down, a_.equal(seen_down, wanted), bit_at(mask, opposite), opposite);
    }
    const Value found = a_.choose(backwards, down, up);
    return a_.choose(a_.equal(offset, zero), a_.choose(at_base, base, none), found);
  }

  // ---- Fields (9.7.1.19 to 9.7.1.22) -------------------------------------------------------------------------
  Value bfe(Value x, Value position, Value length, bool is_signed) {
    const Width w = a_.width(x);
    const Value at = byte_amount(position, w), bits = byte_amount(length, w);
    if (!is_signed) return a_.and_(a_.shr_u(x, at), low_mask(bits));
    const Value rest = a_.sub(pattern(w, w), least(bits, pattern(w, w)));
    return a_.shr_s(a_.shl(a_.shr_s(x, at), rest), rest);
  }

  /// The low bits of x in the place of a field of `into`.
  Value bfi(Value x, Value into, Value position, Value length) {
    const Width w = a_.width(x);
    const Value at = byte_amount(position, w);
    const Value mask = a_.shl(low_mask(byte_amount(length, w)), at);
    return a_.or_(a_.and_(into, a_.not_(mask)), a_.and_(a_.shl(x, at), mask));
  }

  Value szext(Value x, Value bits, Excess excess, bool is_signed) {
    const Value kept = amount(bits, excess);
    if (!is_signed) return a_.and_(x, low_mask(kept));
    const Value rest = a_.sub(number(32), kept);
    return a_.shr_s(a_.shl(x, rest), rest);
  }

  Value bmsk(Value position, Value length, Excess excess) {
    const Value at = excess == Excess::wrap ? a_.and_(position, number(31)) : position;
    return a_.shl(low_mask(amount(length, excess)), at);
  }

  // ---- Products and sums (9.7.1.5 to 9.7.1.7, 9.7.1.23, 9.7.1.24) ---------------------------------------------
  /// 24-bit factors; the low or the high 32 bits of 48.
  Value mul24(Value x, Value y, bool high, bool is_signed) {
    const auto factor = [&](Value v) {
      const Value shifted = left(resized(v, 64, false), 40);
      return is_signed ? a_.shr_s(shifted, pattern(64, 40)) : a_.shr_u(shifted, pattern(64, 40));
    };
    return a_.truncate(right(a_.mul(factor(x), factor(y)), high ? 16 : 0), 32);
  }

  Value sad(Value x, Value y, Value sum, bool is_signed) {
    const Value less = is_signed ? a_.less_s(x, y) : a_.less_u(x, y);
    return a_.add(sum, a_.choose(less, a_.sub(y, x), a_.sub(x, y)));
  }

  Value dp4a(Value x, Value y, Value sum, bool x_signed, bool y_signed) {
    for (Width i = 0; i < 4; ++i) sum = a_.add(sum, a_.mul(part(x, i, 8, x_signed), part(y, i, 8, y_signed)));
    return sum;
  }

  /// The two low bytes of y take part, or the two high ones.
  Value dp2a(Value x, Value y, Value sum, bool x_signed, bool y_signed, bool high) {
    for (Width i = 0; i < 2; ++i) {
      const Value factor = part(y, static_cast<Width>(i + (high ? 2 : 0)), 8, y_signed);
      sum = a_.add(sum, a_.mul(part(x, i, 16, x_signed), factor));
    }
    return sum;
  }

  /// A number of 64 bits, signed or not, as one of the width, or the nearest one.
  Value saturate(Value wide, bool from_signed, Width width, bool is_signed) {
    const Pattern top = is_signed ? mask(static_cast<Width>(width - 1)) : mask(width);
    const Value most = pattern(64, top);
    if (!from_signed) return resized(a_.choose(a_.less_u(most, wide), most, wide), width, false);
    const Value fewest = pattern(64, is_signed ? ~top : 0);
    Value kept = a_.choose(a_.less_s(wide, fewest), fewest, wide);
    if (is_signed || width < 64) kept = a_.choose(a_.less_s(most, kept), most, kept);
    return resized(kept, width, false);
  }

  // ---- Carries (9.7.2) ---------------------------------------------------------------------------------------
  Carried add_carry(Value x, Value y, Value carry) {
    const Value sum = a_.add(x, y), all = a_.add(sum, resized(carry, a_.width(x), false));
    return {all, a_.or_(a_.less_u(sum, x), a_.less_u(all, sum))};
  }
  Carried sub_borrow(Value x, Value y, Value borrow) {
    const Value in = resized(borrow, a_.width(x), false), difference = a_.sub(x, y);
    return {a_.sub(difference, in), a_.or_(a_.less_u(x, y), a_.less_u(difference, in))};
  }

  // ---- Logic, shifts and bytes (9.7.5.4, 9.7.7.5, 9.7.7.7, 9.7.8.7) -------------------------------------------
  Value cnot(Value x) { return resized(a_.equal(x, pattern(a_.width(x), 0)), a_.width(x), false); }

  /// The upper word of {high, low} shifted left, or the lower one of it shifted right.
  Value shf(Value low, Value high, Value by, bool to_left, Excess excess) {
    const Value n = amount(by, excess), rest = a_.sub(number(32), n);
    return to_left ? a_.or_(a_.shl(high, n), a_.shr_u(low, rest))
                   : a_.or_(a_.shl(high, rest), a_.shr_u(low, n));
  }

  Value prmt(Value x, Value y, Value control, Permutation mode) {
    const Value both = a_.or_(left(resized(y, 64, false), 32), resized(x, 64, false));
    Value result = number(0);
    for (unsigned i = 0; i < 4; ++i) {
      const bool generic = mode == Permutation::generic;
      const Value selector = generic ? a_.and_(right(control, static_cast<Width>(4 * i)), number(15))
                                     : selected(control, mode, i);
      const Value chosen = a_.shl(a_.and_(selector, number(7)), number(3));
      Value byte = a_.truncate(a_.shr_u(both, resized(chosen, 64, false)), 8);
      if (generic) {
        const Value sign = a_.shr_s(byte, pattern(8, 7));
        byte = a_.choose(a_.less_u(selector, number(8)), byte, sign);
      }
      result = a_.or_(result, left(resized(byte, 32, false), static_cast<Width>(8 * i)));
    }
    return result;
  }

  /// A value of another width.
  Value resized(Value x, Width width, bool is_signed) {
    if (a_.width(x) == width) return x;
    if (width < a_.width(x)) return a_.truncate(x, width);
    return is_signed ? a_.sign_extend(x, width) : a_.zero_extend(x, width);
  }

 private:
  Value pattern(Width width, Pattern bits) { return a_.constant(bits, width); }
  Value number(Pattern bits) { return pattern(32, bits); }
  Value left(Value x, Width by) { return a_.shl(x, pattern(a_.width(x), by)); }
  Value right(Value x, Width by) { return a_.shr_u(x, pattern(a_.width(x), by)); }
  Value word(Value x) { return resized(x, 32, false); }
  Value least(Value x, Value y) { return a_.choose(a_.less_u(y, x), y, x); }
  /// So many ones from the lowest bit on.
  Value low_mask(Value bits) {
    const Value one = pattern(a_.width(bits), 1);
    return a_.sub(a_.shl(one, bits), one);
  }
  /// The low byte of a word (9.7.1.19: 0 to 255), as an amount for shifts of that width.
  Value byte_amount(Value x, Width width) { return resized(a_.and_(x, number(255)), width, false); }
  Value amount(Value x, Excess excess) {
    return excess == Excess::wrap ? a_.and_(x, number(31)) : least(x, number(32));
  }
  Value part(Value x, Width index, Width bits, bool is_signed) {
    return resized(a_.truncate(right(x, static_cast<Width>(index * bits)), bits), 32, is_signed);
  }
  Value not_bit(Value bit) { return a_.xor_(bit, pattern(1, 1)); }
  Value bit_at(Value x, Value at) { return a_.truncate(a_.shr_u(x, at), 1); }
  Value count(Value seen, Value bit, Value counts) {
    return a_.add(seen, resized(a_.and_(bit, counts), 32, false));
  }
  /// `found`, or else this place, where it is the one looked for.
  Value first(Value found, Value here, Value bit, Value place) {
    const Value is_it = a_.and_(a_.and_(here, bit), a_.equal(found, number(~Pattern{0})));
    return a_.choose(is_it, place, found);
  }
  /// The byte that a mode puts in place i.
  Value selected(Value control, Permutation mode, unsigned i) {
    const Value by = a_.and_(control, number(3)), at = number(i);
    switch (mode) {
      case Permutation::generic:
        break;
      case Permutation::f4e:
        return a_.add(by, at);
      case Permutation::b4e:
        return a_.and_(a_.sub(by, at), number(7));
      case Permutation::rc8:
        return by;
      case Permutation::ecl:
        return a_.choose(a_.less_u(by, at), at, by);
      case Permutation::ecr:
        return least(by, at);
      case Permutation::rc16:
        return a_.add(a_.shl(a_.and_(by, number(1)), number(1)), number(i & 1U));
    }
    return control;
  }

  Algebra& a_;
};

}  // namespace ptxmc::integer

// SPDX-License-Identifier: Apache-2.0
// Textbook circuits: ripple-carry sums, shift-and-add products, restoring division, barrel shifters. They are
// the fall-back for values with no short list (domains.h), so they are small to read rather than small to
// solve; having them here keeps one solver and one valuation for all of it. Cost at width w: sums w gates,
// products and quotients w*w.
#include "axiomatic/engine/smt/words.h"

#include <bit>

#include "support/check.h"

namespace ptxmc::engine::smt {

using event::Op;
using event::Value;
using event::Width;

Word Words::constant(Value value, Width width) const {
  Word word(bits(width));
  for (std::size_t i = 0; i < word.size(); ++i)
    word[i] = ((static_cast<std::uint64_t>(value) >> i) & 1) != 0 ? kTrue : kFalse;
  return word;
}

Word Words::fresh(Width width) {
  Word word(bits(width));
  for (Lit& bit : word) bit = circuit_.input();
  return word;
}

Word Words::choose(Lit condition, const Word& then, const Word& otherwise) {
  Word word(then.size());
  for (std::size_t i = 0; i < word.size(); ++i) word[i] = circuit_.choose(condition, then[i], otherwise[i]);
  return word;
}

Lit Words::equal(const Word& a, const Word& b) {
  std::vector<Lit> parts;
  for (std::size_t i = 0; i < a.size(); ++i) parts.push_back(!circuit_.exclusive(a[i], b[i]));
  return circuit_.conjunction(std::move(parts));
}

Word Words::invert(Word a) const {
  for (Lit& bit : a) bit = !bit;
  return a;
}

Words::Sum Words::add(const Word& a, const Word& b, Lit carry) {
  Sum sum;
  Lit before = carry;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Lit half = circuit_.exclusive(a[i], b[i]);
    sum.word.push_back(circuit_.exclusive(half, carry));
    before = carry;
    carry = circuit_.disjunction(circuit_.conjunction(a[i], b[i]), circuit_.conjunction(half, carry));
  }
  sum.carry = carry;
  sum.signed_overflow = circuit_.exclusive(before, carry);
  return sum;
}

Word Words::negate(const Word& a) {
  return add(invert(a), Word(a.size(), kFalse), kTrue).word;
}

Word Words::multiply(const Word& a, const Word& b) {
  Word product(a.size(), kFalse);
  for (std::size_t i = 0; i < a.size(); ++i) {
    Word row(a.size(), kFalse);
    for (std::size_t j = 0; i + j < a.size(); ++j) row[i + j] = circuit_.conjunction(a[j], b[i]);
    product = add(product, row, kFalse).word;
  }
  return product;
}

// Restoring division of unsigned words; a divisor of zero gives all ones and the dividend by itself.
Words::Quotient Words::divide(const Word& a, const Word& b) {
  const std::size_t size = a.size();
  Word remainder(size + 1, kFalse);
  Word divisor = b;
  divisor.push_back(kFalse);
  Word quotient(size, kFalse);
  for (std::size_t i = size; i-- > 0;) {
    remainder.insert(remainder.begin(), a[i]);
    remainder.pop_back();
    const Sum difference = add(remainder, invert(divisor), kTrue);
    quotient[i] = difference.carry;  // no borrow: the divisor fits
    remainder = choose(difference.carry, difference.word, remainder);
  }
  remainder.pop_back();
  return {quotient, remainder};
}

Word Words::divide_signed(bool remainder, const Word& a, const Word& b) {
  const Quotient result = divide(absolute(a), absolute(b));
  if (remainder) {  // the sign of the dividend; by zero: the dividend
    return choose(a.back(), negate(result.remainder), result.remainder);
  }
  const Lit opposite = circuit_.exclusive(a.back(), b.back());
  const Word quotient = choose(opposite, negate(result.quotient), result.quotient);
  return choose(any(b), quotient, Word(a.size(), kTrue));
}

Word Words::shift(Op op, const Word& a, const Word& amount) {
  const Lit fill = op == Op::shr_s ? a.back() : kFalse;
  const std::size_t size = a.size();
  PTXMC_CHECK(std::has_single_bit(size), "shifts work on powers of two");
  const auto stages = static_cast<std::size_t>(std::countr_zero(size));
  Word word = a;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const std::size_t step = std::size_t{1} << stage;
    Word moved(size, fill);
    for (std::size_t i = 0; i < size; ++i) {
      if (op == Op::shl) {
        if (i >= step) moved[i] = word[i - step];
      } else if (i + step < size) {
        moved[i] = word[i + step];
      }
    }
    word = choose(amount[stage], moved, word);
  }
  const Lit beyond = any(Word(amount.begin() + static_cast<std::ptrdiff_t>(stages), amount.end()));
  return choose(beyond, Word(size, fill), word);
}

Lit Words::less(const Word& a, const Word& b, bool is_signed) {
  Word x = a, y = b;
  if (is_signed) {
    x.back() = !x.back();
    y.back() = !y.back();
  }
  return !add(x, invert(y), kTrue).carry;
}

Word Words::extend(const Word& a, std::size_t size, bool is_signed) const {
  Word word = a;
  word.resize(size, is_signed ? a.back() : kFalse);
  return word;
}

Word Words::fixed(Op op, const Word& a, const Word& b) {
  const std::size_t size = a.size();
  const auto bitwise = [&](auto&& gate) {
    Word word(size);
    for (std::size_t i = 0; i < size; ++i) word[i] = gate(a[i], b[i]);
    return word;
  };
  const auto high_half = [&](bool is_signed) {
    const Word product = multiply(extend(a, 2 * size, is_signed), extend(b, 2 * size, is_signed));
    return Word(product.begin() + static_cast<std::ptrdiff_t>(size), product.end());
  };
  switch (op) {
    case Op::add:
      return add(a, b, kFalse).word;
    case Op::sub:
      return add(a, invert(b), kTrue).word;
    case Op::mul:
      return multiply(a, b);
    case Op::mulhi_s:
      return high_half(true);
    case Op::mulhi_u:
      return high_half(false);
    case Op::div_s:
      return divide_signed(false, a, b);
    case Op::div_u:
      return divide(a, b).quotient;
    case Op::rem_s:
      return divide_signed(true, a, b);
    case Op::rem_u:
      return divide(a, b).remainder;
    case Op::min_s:
      return choose(less(a, b, true), a, b);
    case Op::min_u:
      return choose(less(a, b, false), a, b);
    case Op::max_s:
      return choose(less(a, b, true), b, a);
    case Op::max_u:
      return choose(less(a, b, false), b, a);
    case Op::neg:
      return negate(a);
    case Op::abs:
      return absolute(a);
    case Op::and_:
      return bitwise([&](Lit x, Lit y) { return circuit_.conjunction(x, y); });
    case Op::or_:
      return bitwise([&](Lit x, Lit y) { return circuit_.disjunction(x, y); });
    case Op::xor_:
      return bitwise([&](Lit x, Lit y) { return circuit_.exclusive(x, y); });
    case Op::not_:
      return invert(a);
    case Op::shl:
    case Op::shr_s:
    case Op::shr_u:
      return shift(op, a, b);
    default:
      break;
  }
  PTXMC_CHECK(false, "no circuit for this operation");
  return {};
}

Word Words::unbounded(Op op, const Word& a, const Word& b, std::vector<Lit>& overflow) {
  switch (op) {
    case Op::add:
    case Op::sub: {
      const Sum sum = op == Op::add ? add(a, b, kFalse) : add(a, invert(b), kTrue);
      overflow.push_back(sum.signed_overflow);
      return sum.word;
    }
    case Op::neg: {
      const Word zero(a.size(), kFalse);
      return unbounded(Op::sub, zero, a, overflow);
    }
    case Op::abs: {
      std::vector<Lit> inner;
      const Word negated = unbounded(Op::neg, a, a, inner);
      overflow.push_back(circuit_.conjunction(a.back(), any(inner)));
      return choose(a.back(), negated, a);
    }
    case Op::mul: {
      const Word product = multiply(extend(a, 128, true), extend(b, 128, true));
      for (std::size_t i = 64; i < 128; ++i) overflow.push_back(circuit_.exclusive(product[63], product[i]));
      return Word(product.begin(), product.begin() + 64);
    }
    case Op::div_s: {  // the smallest number by -1 is too large
      Word but_sign = a;
      but_sign.pop_back();
      overflow.push_back(circuit_.conjunction({a.back(), !any(but_sign), circuit_.conjunction(b)}));
      return fixed(op, a, b);
    }
    case Op::shl: {  // not negative, below 64, and back by the same amount it is what it was
      const Word word = fixed(op, a, b);
      overflow.push_back(circuit_.conjunction(any(a), !equal(fixed(Op::shr_s, word, b), a)));
      overflow.push_back(circuit_.conjunction(any(a), any(Word(b.begin() + 6, b.end()))));
      return word;
    }
    default:  // as at 64 bits
      return fixed(op, a, b);
  }
}

Word Words::comparison(Op op, const Word& a, const Word& b) {
  switch (op) {
    case Op::eq:
      return {equal(a, b)};
    case Op::ne:
      return {!equal(a, b)};
    case Op::lt_s:
    case Op::lt_u:
      return {less(a, b, op == Op::lt_s)};
    case Op::le_s:
    case Op::le_u:
      return {!less(b, a, op == Op::le_s)};
    default:
      break;
  }
  PTXMC_CHECK(false, "not a comparison");
  return {};
}

Word Words::apply(Op op, Width width, const Word& a, const Word& b, std::vector<Lit>& overflow) {
  switch (op) {
    case Op::eq:
    case Op::ne:
    case Op::lt_s:
    case Op::lt_u:
    case Op::le_s:
    case Op::le_u:
      return comparison(op, a, b);
    case Op::sign_extend:
    case Op::zero_extend:
    case Op::truncate:
      return extend(a, bits(width), op == Op::sign_extend);
    default:
      break;
  }
  return width == event::kUnbounded ? unbounded(op, a, b, overflow) : fixed(op, a, b);
}

}  // namespace ptxmc::engine::smt

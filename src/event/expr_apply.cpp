// SPDX-License-Identifier: Apache-2.0
// Concrete integer arithmetic as PTX defines it (9.7.1, 9.7.5, 9.7.7), at widths 1..64 and on unbounded
// integers.
//
// Fixed widths wrap. Division by zero gives all ones and its remainder the dividend; the smallest signed
// number divided by -1 wraps to itself; shifts clamp at the width. Unbounded integers are held in 64 signed
// bits: a result outside throws Overflow. An unsigned operation reads and writes them as PTX does, as patterns
// of 64 bits: -1 is the largest there.
#include <algorithm>
#include <limits>

#include "event/expr.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
using Pattern = std::uint64_t;

constexpr Value kMin = std::numeric_limits<Value>::min();

Pattern mask(Width width) {
  return width >= 64 ? ~Pattern{0} : (Pattern{1} << width) - 1;
}

Value bounded(Wide value) {
  if (value < Wide{kMin} || value > Wide{std::numeric_limits<Value>::max()}) {
    throw Overflow("an unbounded integer left the signed 64-bit range");
  }
  return static_cast<Value>(value);
}

Value shift_left_unbounded(Value a, Value amount) {
  if (a == 0) return 0;
  if (amount < 0 || amount >= 64) throw Overflow("a shift of an unbounded integer is too large");
  return bounded(Wide{a} * (Wide{1} << amount));
}

Value shift_right_unbounded(Value a, Value amount) {
  if (amount < 0 || amount >= 64) return a < 0 ? -1 : 0;
  return a >> amount;
}

/// a, b are patterns of the width; the result may have any higher bits.
Pattern fixed_binary(Op op, Width width, Pattern a, Pattern b) {
  const Value sa = as_signed(static_cast<Value>(a), width);
  const Value sb = as_signed(static_cast<Value>(b), width);
  const bool overflowing = sb == -1;  // x / -1 is -x, and wraps for the smallest x
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::mulhi_s:
      return static_cast<Pattern>((Wide{sa} * sb) >> width);
    case Op::mulhi_u:
      return static_cast<Pattern>((UnsignedWide{a} * b) >> width);
    case Op::div_s:
      return sb == 0 ? ~Pattern{0} : overflowing ? Pattern{0} - a : static_cast<Pattern>(sa / sb);
    case Op::div_u:
      return b == 0 ? ~Pattern{0} : a / b;
    case Op::rem_s:
      return sb == 0 ? a : overflowing ? 0 : static_cast<Pattern>(sa % sb);
    case Op::rem_u:
      return b == 0 ? a : a % b;
    case Op::min_s:
      return sa < sb ? a : b;
    case Op::min_u:
      return a < b ? a : b;
    case Op::max_s:
      return sa < sb ? b : a;
    case Op::max_u:
      return a < b ? b : a;
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return b >= width ? 0 : a << b;
    case Op::shr_s:
      return static_cast<Pattern>(sa >> (b >= width ? width - 1 : static_cast<int>(b)));
    case Op::shr_u:
      return b >= width ? 0 : a >> b;
    default:
      break;
  }
  PTXMC_CHECK(false, "not a binary operation");
  return 0;
}

Value unbounded_binary(Op op, Value a, Value b) {
  switch (op) {
    case Op::add:
      return bounded(Wide{a} + b);
    case Op::sub:
      return bounded(Wide{a} - b);
    case Op::mul:
      return bounded(Wide{a} * b);
    case Op::mulhi_s:
      return static_cast<Value>((Wide{a} * b) >> 64);
    case Op::div_s:
      return b == 0 ? -1 : bounded(Wide{a} / b);
    case Op::rem_s:
      return b == 0 ? a : static_cast<Value>(Wide{a} % b);
    case Op::min_s:
      return std::min(a, b);
    case Op::max_s:
      return std::max(a, b);
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return shift_left_unbounded(a, b);
    case Op::shr_s:
      return shift_right_unbounded(a, b);
    default:
      return static_cast<Value>(fixed_binary(op, 64, static_cast<Pattern>(a), static_cast<Pattern>(b)));
  }
}

bool compare(Op op, Width width, Value a, Value b) {
  if (op == Op::eq) return a == b;
  if (op == Op::ne) return a != b;
  const bool is_signed = op == Op::lt_s || op == Op::le_s;
  const bool or_equal = op == Op::le_s || op == Op::le_u;
  if (or_equal && a == b) return true;
  if (is_signed) return as_signed(a, width) < as_signed(b, width);
  return static_cast<Pattern>(a) < static_cast<Pattern>(b);
}

Value extend(Op op, Width to, Width from, Value a) {
  const Value value = op == Op::sign_extend ? as_signed(a, from) : a;
  return wrap(value, to);
}

}  // namespace

int arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::value_of:
    case Op::final_value:
    case Op::term:
      return 0;
    case Op::neg:
    case Op::abs:
    case Op::not_:
    case Op::sign_extend:
    case Op::zero_extend:
    case Op::truncate:
      return 1;
    case Op::ite:
      return 3;
    default:
      return 2;
  }
}

bool commutative(Op op) {
  switch (op) {
    case Op::add:
    case Op::mul:
    case Op::mulhi_s:
    case Op::mulhi_u:
    case Op::min_s:
    case Op::min_u:
    case Op::max_s:
    case Op::max_u:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::eq:
    case Op::ne:
      return true;
    default:
      return false;
  }
}

Value wrap(Value value, Width width) {
  if (width == kUnbounded) return value;
  return static_cast<Value>(static_cast<Pattern>(value) & mask(width));
}

Value as_signed(Value value, Width width) {
  if (width == kUnbounded || width >= 64) return value;
  const Pattern sign = Pattern{1} << (width - 1);
  const Pattern pattern = static_cast<Pattern>(value) & mask(width);
  return static_cast<Value>((pattern ^ sign) - sign);
}

Value apply(Op op, Width width, Width operand_width, Value a, Value b, Value c) {
  switch (op) {
    case Op::constant:
    case Op::value_of:
    case Op::final_value:
    case Op::term:
    case Op::opaque:
      break;
    case Op::eq:
    case Op::ne:
    case Op::lt_s:
    case Op::lt_u:
    case Op::le_s:
    case Op::le_u:
      return compare(op, operand_width, a, b) ? 1 : 0;
    case Op::ite:
      return a != 0 ? b : c;
    case Op::sign_extend:
    case Op::zero_extend:
      return extend(op, width, operand_width, a);
    case Op::truncate:
      return wrap(a, width);
    case Op::neg:
      return width == kUnbounded ? bounded(-Wide{a}) : wrap(apply(Op::sub, width, width, 0, a), width);
    case Op::abs:
      return as_signed(a, width) < 0 ? apply(Op::neg, width, width, a) : a;
    case Op::not_:
      return wrap(~a, width);
    default:
      if (width == kUnbounded) return unbounded_binary(op, a, b);
      return wrap(
          static_cast<Value>(fixed_binary(op, width, static_cast<Pattern>(a), static_cast<Pattern>(b))),
          width);
  }
  PTXMC_CHECK(false, "an atom has no operation to apply");
  return 0;
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Operations of expressions on numbers: fixed widths as ptx/integer/arithmetic.h has them, and unbounded integers.
//
// Unbounded integers are held in 64 signed bits: a result outside throws Overflow. An unsigned operation reads
// and writes them as PTX does, as patterns of 64 bits: -1 is the largest there.
#include <algorithm>
#include <limits>

#include "axiomatic/event/expr.h"
#include "ptx/integer/arithmetic.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

using integer::Pattern;
using integer::Wide;

constexpr Value kMin = std::numeric_limits<Value>::min();

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

/// a, b are patterns of the width.
Pattern fixed_binary(Op op, Width width, Pattern a, Pattern b) {
  switch (op) {
    case Op::add:
      return integer::add(width, a, b);
    case Op::sub:
      return integer::sub(width, a, b);
    case Op::mul:
      return integer::mul(width, a, b);
    case Op::mulhi_s:
      return integer::mulhi_s(width, a, b);
    case Op::mulhi_u:
      return integer::mulhi_u(width, a, b);
    case Op::div_s:
      return integer::div_s(width, a, b);
    case Op::div_u:
      return integer::div_u(width, a, b);
    case Op::rem_s:
      return integer::rem_s(width, a, b);
    case Op::rem_u:
      return integer::rem_u(a, b);
    case Op::min_s:
      return integer::min_s(width, a, b);
    case Op::min_u:
      return std::min(a, b);
    case Op::max_s:
      return integer::max_s(width, a, b);
    case Op::max_u:
      return std::max(a, b);
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return integer::shl(width, a, b);
    case Op::shr_s:
      return integer::shr_s(width, a, b);
    case Op::shr_u:
      return integer::shr_u(width, a, b);
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
  return width == kUnbounded ? value : static_cast<Value>(integer::wrap(static_cast<Pattern>(value), width));
}

Value as_signed(Value value, Width width) {
  return width == kUnbounded ? value : integer::as_signed(static_cast<Pattern>(value), width);
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
      return wrap(as_signed(a, operand_width), width);
    case Op::zero_extend:
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
      return static_cast<Value>(fixed_binary(op, width, static_cast<Pattern>(a), static_cast<Pattern>(b)));
  }
  PTXMC_CHECK(false, "an atom has no operation to apply");
  return 0;
}

}  // namespace ptxmc::event

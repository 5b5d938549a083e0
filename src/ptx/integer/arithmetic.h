// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic as PTX defines it (9.7.1, 9.7.5, 9.7.7) on numbers: what an interpreter and the values of
// events share.
//
// An operand is a pattern of 1 to 64 bits, the bits above its width zero; so is a result. Arithmetic wraps.
// Division by zero gives all ones and its remainder the dividend (9.7.1.8 leaves both open: who may not choose
// asks before he divides); the smallest signed number divided by -1 wraps to itself. Shifts clamp at the width.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ptxmc::integer {

using Pattern = std::uint64_t;
using Width = std::uint8_t;  // bits, 1 to 64

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr Pattern mask(Width width) {
  return width >= 64 ? ~Pattern{0} : (Pattern{1} << width) - 1;
}
constexpr Pattern wrap(Pattern value, Width width) {
  return value & mask(width);
}
/// The pattern read as a signed number.
constexpr std::int64_t as_signed(Pattern value, Width width) {
  const Pattern sign = Pattern{1} << (std::min<Width>(width, 64) - 1);
  return static_cast<std::int64_t>((wrap(value, width) ^ sign) - sign);
}

constexpr Pattern add(Width width, Pattern a, Pattern b) {
  return wrap(a + b, width);
}
constexpr Pattern sub(Width width, Pattern a, Pattern b) {
  return wrap(a - b, width);
}
constexpr Pattern neg(Width width, Pattern a) {
  return wrap(Pattern{0} - a, width);
}
constexpr Pattern abs(Width width, Pattern a) {
  return as_signed(a, width) < 0 ? neg(width, a) : a;
}
constexpr Pattern mul(Width width, Pattern a, Pattern b) {
  return wrap(a * b, width);
}
/// The upper half of the product of twice the width.
constexpr Pattern mulhi_s(Width width, Pattern a, Pattern b) {
  return wrap(static_cast<Pattern>(Wide{as_signed(a, width)} * as_signed(b, width) >> width), width);
}
constexpr Pattern mulhi_u(Width width, Pattern a, Pattern b) {
  return wrap(static_cast<Pattern>(UnsignedWide{a} * b >> width), width);
}
constexpr Pattern div_s(Width width, Pattern a, Pattern b) {
  if (b == 0) return mask(width);
  if (as_signed(b, width) == -1) return neg(width, a);
  return wrap(static_cast<Pattern>(as_signed(a, width) / as_signed(b, width)), width);
}
constexpr Pattern div_u(Width width, Pattern a, Pattern b) {
  return b == 0 ? mask(width) : a / b;
}
constexpr Pattern rem_s(Width width, Pattern a, Pattern b) {
  if (b == 0) return a;
  if (as_signed(b, width) == -1) return 0;
  return wrap(static_cast<Pattern>(as_signed(a, width) % as_signed(b, width)), width);
}
constexpr Pattern rem_u(Pattern a, Pattern b) {
  return b == 0 ? a : a % b;
}
constexpr bool less_s(Width width, Pattern a, Pattern b) {
  return as_signed(a, width) < as_signed(b, width);
}
constexpr Pattern min_s(Width width, Pattern a, Pattern b) {
  return less_s(width, a, b) ? a : b;
}
constexpr Pattern max_s(Width width, Pattern a, Pattern b) {
  return less_s(width, a, b) ? b : a;
}
constexpr Pattern shl(Width width, Pattern a, Pattern amount) {
  return amount >= width ? 0 : wrap(a << amount, width);
}
constexpr Pattern shr_u(Width width, Pattern a, Pattern amount) {
  return amount >= width ? 0 : a >> amount;
}
constexpr Pattern shr_s(Width width, Pattern a, Pattern amount) {
  return wrap(static_cast<Pattern>(as_signed(a, width) >> std::min<Pattern>(amount, width - 1)), width);
}
constexpr Pattern sign_extend(Width to, Width from, Pattern a) {
  return wrap(static_cast<Pattern>(as_signed(a, from)), to);
}

}  // namespace ptxmc::integer

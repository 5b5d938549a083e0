// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/constant.h"

#include <bit>

#include "helpers.h"

using namespace ptxmc;
using namespace ptxmc::ptx;
using ptxmc::ptx::testing::Text;

namespace {

/// "value" or "valueU", "1.5" as a double, or what is wrong.
std::string value(const std::string& expression) {
  Text text(expression);
  Cursor c = text.cursor();
  const std::optional<Constant> out = at_constant(c) ? read_constant(c) : std::nullopt;
  if (!out) return text.said();
  CHECK(c.at_end());
  switch (out->type) {
    case Constant::Type::s64:
      return std::to_string(static_cast<std::int64_t>(out->bits));
    case Constant::Type::u64:
      return std::to_string(out->bits) + "U";
    case Constant::Type::f32:
      return "f32:" + std::to_string(std::bit_cast<float>(static_cast<std::uint32_t>(out->bits)));
    case Constant::Type::f64:
      return "f64:" + std::to_string(std::bit_cast<double>(out->bits));
  }
  return "";
}

}  // namespace

TEST_CASE("literals (4.5.1)") {
  CHECK_EQ(value("42"), "42");
  CHECK_EQ(value("0x1F"), "31");
  CHECK_EQ(value("010"), "8");
  CHECK_EQ(value("0b101"), "5");
  CHECK_EQ(value("42U"), "42U");
  CHECK_EQ(value("0xfabc123400000000"), "18067335819651186688U");
  CHECK_EQ(value("9223372036854775807"), "9223372036854775807");
  CHECK_EQ(value("9223372036854775808"), "9223372036854775808U");
  CHECK_EQ(value("WARP_SZ*2"), "64");
  CHECK_EQ(value("18446744073709551616"), "1:1 `18446744073709551616` is no 64-bit integer\n");
}

TEST_CASE("types and values of operators (4.5.5), as the assembler has them") {
  CHECK_EQ(value("-(-42)"), "42");
  CHECK_EQ(value("-1U"), "18446744073709551615U");
  CHECK_EQ(value("!5"), "0");
  CHECK_EQ(value("!0U"), "1");
  CHECK_EQ(value("~5"), "18446744073709551610U");
  CHECK_EQ(value("7 / -2"), "-3");
  CHECK_EQ(value("-8U / 2"), "9223372036854775804U");
  CHECK_EQ(value("-7 % 4"), "1U");
  CHECK_EQ(value("-8 >> 1"), "-4");
  CHECK_EQ(value("-8 >> 1U"), "-4");
  CHECK_EQ(value("~7 >> 1"), "9223372036854775804U");
  CHECK_EQ(value("(-8 & -1) >> 1"), "-4");
  CHECK_EQ(value("(-8 | 0) >> 1"), "-4");
  CHECK_EQ(value("(-8 ^ 0U) >> 1"), "9223372036854775804U");
  CHECK_EQ(value("1 << 63"), "-9223372036854775808");
  CHECK_EQ(value("-1 < 1"), "1");
  CHECK_EQ(value("-1 < 1U"), "0");
  CHECK_EQ(value("~0 < 1"), "0");
  CHECK_EQ(value("5 && 0"), "0");
  CHECK_EQ(value("5 || 0"), "1");
  CHECK_EQ(value("(1 ? -1 : 1U) > 0"), "1");
  CHECK_EQ(value("(.u64)-8 >> 1"), "9223372036854775804U");
  CHECK_EQ(value("(.s64)(~0) >> 1"), "-1");
}

TEST_CASE("precedence (table 4)") {
  CHECK_EQ(value("1 - 2 - 3"), "-4");
  CHECK_EQ(value("2 + 3 * 4 << 1"), "28");
  CHECK_EQ(value("6 & 3 == 3"), "0");
  CHECK_EQ(value("1 | 6 ^ 3 & 2"), "5");
  CHECK_EQ(value("-2 << 1 > -3"), "0");
  CHECK_EQ(value("1 ? 2 : 0 ? 3 : 4"), "2");
  CHECK_EQ(value("0 ? 2 : 0 ? 3 : 4"), "4");
  CHECK_EQ(value("1 || 0 && 0"), "1");
  CHECK_EQ(value("- - 7"), "7");
}

TEST_CASE("floating-point constants (4.5.2)") {
  CHECK_EQ(value("1.5"), "f64:1.500000");
  CHECK_EQ(value(".5e1"), "f64:5.000000");
  CHECK_EQ(value("1."), "f64:1.000000");
  CHECK_EQ(value("1e2 - 1.0"), "f64:99.000000");
  CHECK_EQ(value("-1.5 * 2.0"), "f64:-3.000000");
  CHECK_EQ(value("1.0 < 2.0"), "1");
  CHECK_EQ(value("0f3F800000"), "f32:1.000000");
  CHECK_EQ(value("0d3FF8000000000000"), "f64:1.500000");
  CHECK_EQ(value("1 ? 2.0 : 3.0"), "f64:2.000000");
}

TEST_CASE("what is no constant") {
  CHECK_EQ(value("5 / 0"), "1:3 division by zero in a constant expression\n");
  CHECK_EQ(value("5 % (1 - 1)"), "1:3 division by zero in a constant expression\n");
  CHECK_EQ(value("1 << 64"), "1:3 shift of a 64-bit constant by 64\n");
  CHECK_EQ(value("1 >> -1"), "1:3 shift of a 64-bit constant by -1\n");
  CHECK_EQ(value("(.s64)0x8000000000000000 / -1"), "1:26 the quotient does not fit 64 bits\n");
  CHECK_EQ(value("1.0 + 2"), "1:5 integers and floating-point constants do not mix (4.5.4)\n");
  CHECK_EQ(value("0f3F800000 + 1.0"),
           "1:12 a constant of 0f and 8 digits is no part of an expression (4.5.2)\n");
  CHECK_EQ(value("~1.0"), "1:1 no `~` of this constant\n");
  CHECK_EQ(value("(.s64)1.0"), "1:2 casts are between integers only (4.5.4)\n");
  CHECK_EQ(value("1.0 % 2.0"), "1:5 this operator is for integers only (4.5.4)\n");
  CHECK_EQ(value("(1"), "1:3 expected `)` at the end of the constant expression, found end of file\n");
  CHECK_EQ(value("1 ? 2"), "1:6 expected `:` between the two values of `?`, found end of file\n");
  CHECK_EQ(value("1 +"), "1:4 expected a constant, found end of file\n");
  const std::string deep(1000, '(');
  CHECK_NE(value(deep + "1").find("nested too deeply"), std::string::npos);
  CHECK_NE(value(std::string(1000, '~') + "1").find("nested too deeply"), std::string::npos);
}

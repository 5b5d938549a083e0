// SPDX-License-Identifier: Apache-2.0
// Types and values by 4.5.5 and table 5. Where these leave something open, the assembler's answer is taken: a
// remainder is unsigned, and `&`, `|`, `^` convert as the sum does. What has no 64-bit answer is an error: a division
// by zero, a shift by 64 or more, the smallest number by -1.
#include "ptx/text/constant.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <string>

#include "ptx/isa/warp.h"

namespace ptxmc::ptx {

namespace {

using ConstantType = Constant::Type;

constexpr int kMaxNesting = 64;

enum class Op : std::uint8_t {
  mul,
  div,
  rem,
  add,
  sub,
  shl,
  shr,
  lt,
  gt,
  le,
  ge,
  eq,
  ne,
  band,
  bxor,
  bor,
  land,
  lor
};

/// A binary operator; `first` is doubled where `twice`. Longer ones stand before their beginnings.
struct BinaryOperator {
  std::string_view first;
  bool twice;
  int level;  // the higher, the tighter (table 4)
  Op op;
};
constexpr int kLoosest = 1;
constexpr int kTightest = 10;
constexpr std::array<BinaryOperator, 18> kBinaryOperators = {{{"*", false, 10, Op::mul},
                                                              {"/", false, 10, Op::div},
                                                              {"%", false, 10, Op::rem},
                                                              {"+", false, 9, Op::add},
                                                              {"-", false, 9, Op::sub},
                                                              {"<", true, 8, Op::shl},
                                                              {">", true, 8, Op::shr},
                                                              {"<", false, 7, Op::lt},
                                                              {">", false, 7, Op::gt},
                                                              {"<=", false, 7, Op::le},
                                                              {">=", false, 7, Op::ge},
                                                              {"==", false, 6, Op::eq},
                                                              {"!=", false, 6, Op::ne},
                                                              {"&", true, 2, Op::land},
                                                              {"|", true, 1, Op::lor},
                                                              {"&", false, 5, Op::band},
                                                              {"^", false, 4, Op::bxor},
                                                              {"|", false, 3, Op::bor}}};

std::int64_t as_signed(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits);
}
Constant boolean(bool value) {
  return {ConstantType::s64, value ? 1u : 0u};
}
Constant real(double value) {
  return {ConstantType::f64, std::bit_cast<std::uint64_t>(value)};
}
double as_real(const Constant& c) {
  return std::bit_cast<double>(c.bits);
}

template <typename T>
bool compare(Op op, T a, T b) {
  switch (op) {
    case Op::lt:
      return a < b;
    case Op::gt:
      return a > b;
    case Op::le:
      return a <= b;
    case Op::ge:
      return a >= b;
    case Op::eq:
      return a == b;
    default:
      return a != b;
  }
}
bool is_comparison(Op op) {
  return op >= Op::lt && op <= Op::ne;
}

class Reader {
 public:
  explicit Reader(Cursor& cursor) : c_(cursor) {}

  std::optional<Constant> ternary(int depth);
  std::optional<Constant> binary(int level, int depth);

 private:
  std::optional<Constant> unary(int depth);
  std::optional<Constant> primary(int depth);
  std::optional<Constant> literal();
  std::optional<Constant> cast(int depth);
  const BinaryOperator* at_operator() const;
  std::optional<Constant> apply(Op op, const Constant& a, const Constant& b, Position position);
  std::optional<Constant> divide(Op op, const Constant& a, const Constant& b, bool is_signed,
                                 Position position);
  std::optional<Constant> apply_real(Op op, double a, double b, Position position);
  bool integers(const Constant& a, const Constant& b, Position position);
  std::nullopt_t wrong(Position position, std::string message) {
    c_.error(position, std::move(message));
    return std::nullopt;
  }

  Cursor& c_;
};

bool at_cast(const Cursor& c) {
  return c.is("(") && (c.peek(1).is_dotted("s64") || c.peek(1).is_dotted("u64")) && c.peek(2).is(")");
}

std::optional<Constant> Reader::ternary(int depth) {
  std::optional<Constant> condition = binary(kLoosest, depth);
  if (!condition || !c_.is("?")) return condition;
  const Position position = c_.take().position;
  if (depth > kMaxNesting) return wrong(position, "constant expression nested too deeply");
  const std::optional<Constant> yes = ternary(depth + 1);
  if (!yes || !c_.expect(":", "between the two values of `?`")) return std::nullopt;
  const std::optional<Constant> no = ternary(depth + 1);
  if (!no) return std::nullopt;
  if (!condition->is_integer()) return wrong(position, "the condition of `?` is an integer");
  if (yes->type == ConstantType::f64 && no->type == ConstantType::f64) return condition->bits != 0 ? yes : no;
  if (!integers(*yes, *no, position)) return std::nullopt;
  Constant out = condition->bits != 0 ? *yes : *no;
  if (yes->type == ConstantType::u64 || no->type == ConstantType::u64) out.type = ConstantType::u64;
  return out;
}

const BinaryOperator* Reader::at_operator() const {
  const Token& token = c_.peek();
  if (token.kind != TokenKind::punct) return nullptr;
  for (const BinaryOperator& row : kBinaryOperators) {
    if (!token.is(row.first)) continue;
    const Token& next = c_.peek(1);
    if (!row.twice || (next.is(row.first) && !next.space_before)) return &row;
  }
  return nullptr;
}

std::optional<Constant> Reader::binary(int level, int depth) {
  std::optional<Constant> left = unary(depth);
  for (const BinaryOperator* row = at_operator(); left && row != nullptr && row->level >= level;
       row = at_operator()) {
    const Position position = c_.take().position;
    if (row->twice) c_.take();
    if (depth > kMaxNesting) return wrong(position, "constant expression nested too deeply");
    const std::optional<Constant> right = binary(row->level + 1, depth + 1);
    if (!right) return std::nullopt;
    left = apply(row->op, *left, *right, position);
  }
  return left;
}

std::optional<Constant> Reader::unary(int depth) {
  const Token sign = c_.peek();
  const bool is_cast = at_cast(c_);
  if (depth > kMaxNesting) return wrong(sign.position, "constant expression nested too deeply");
  if (is_cast) return cast(depth);
  if (!sign.is("+") && !sign.is("-") && !sign.is("!") && !sign.is("~")) return primary(depth);
  c_.take();
  std::optional<Constant> value = unary(depth + 1);
  if (!value || (sign.is("+") && value->type != ConstantType::f32)) return value;
  if (value->type == ConstantType::f64 && sign.is("-")) return real(-as_real(*value));
  if (!value->is_integer()) return wrong(sign.position, fmt::format("no `{}` of this constant", sign.text));
  if (sign.is("!")) return boolean(value->bits == 0);
  if (sign.is("~")) return Constant{ConstantType::u64, ~value->bits};
  return Constant{value->type, ~value->bits + 1};
}

std::optional<Constant> Reader::cast(int depth) {
  c_.take();
  const Token type = c_.take();
  c_.take();
  std::optional<Constant> value = unary(depth + 1);
  if (!value) return value;
  if (!value->is_integer()) return wrong(type.position, "casts are between integers only (4.5.4)");
  value->type = type.is_dotted("s64") ? ConstantType::s64 : ConstantType::u64;
  return value;
}

std::optional<Constant> Reader::primary(int depth) {
  if (c_.accept("(")) {
    std::optional<Constant> inner = ternary(depth + 1);
    if (!inner || !c_.expect(")", "at the end of the constant expression")) return std::nullopt;
    return inner;
  }
  if (c_.accept_word("WARP_SZ")) return Constant{ConstantType::s64, isa::kWarp};
  return literal();
}

std::optional<Constant> Reader::literal() {
  const Token token = c_.peek();
  if (token.kind == TokenKind::integer) {
    c_.take();
    const std::optional<std::uint64_t> value = parse_digits(token.text);
    if (!value) return wrong(token.position, fmt::format("`{}` is no 64-bit integer", token.text));
    const bool is_unsigned = token.text.back() == 'U' || *value >> 63 != 0;
    return Constant{is_unsigned ? ConstantType::u64 : ConstantType::s64, *value};
  }
  if (token.kind != TokenKind::floating) {
    c_.expected("a constant");
    return std::nullopt;
  }
  c_.take();
  const std::string_view text = token.text;
  const char mark = text.size() > 2 && text[0] == '0' ? text[1] : '\0';
  if (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D') {
    Constant out{mark == 'f' || mark == 'F' ? ConstantType::f32 : ConstantType::f64, 0};
    std::from_chars(text.data() + 2, text.data() + text.size(), out.bits, 16);
    return out;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return wrong(token.position, fmt::format("`{}` is no 64-bit floating-point constant", text));
  return real(value);
}

bool Reader::integers(const Constant& a, const Constant& b, Position position) {
  if (a.is_integer() && b.is_integer()) return true;
  const bool exact = a.type == ConstantType::f32 || b.type == ConstantType::f32;
  c_.error(position, exact ? "a constant of 0f and 8 digits is no part of an expression (4.5.2)"
                           : "integers and floating-point constants do not mix (4.5.4)");
  return false;
}

std::optional<Constant> Reader::apply(Op op, const Constant& a, const Constant& b, Position position) {
  if (a.type == ConstantType::f64 && b.type == ConstantType::f64)
    return apply_real(op, as_real(a), as_real(b), position);
  if (!integers(a, b, position)) return std::nullopt;
  const bool is_signed = a.type == ConstantType::s64 && b.type == ConstantType::s64;
  const ConstantType type = is_signed ? ConstantType::s64 : ConstantType::u64;
  if (is_comparison(op)) {
    return boolean(is_signed ? compare(op, as_signed(a.bits), as_signed(b.bits))
                             : compare(op, a.bits, b.bits));
  }
  switch (op) {
    case Op::mul:
      return Constant{type, a.bits * b.bits};
    case Op::add:
      return Constant{type, a.bits + b.bits};
    case Op::sub:
      return Constant{type, a.bits - b.bits};
    case Op::div:
    case Op::rem:
      return divide(op, a, b, is_signed, position);
    case Op::shl:
    case Op::shr:
      if (b.bits > 63)
        return wrong(position, fmt::format("shift of a 64-bit constant by {}", as_signed(b.bits)));
      if (op == Op::shl) return Constant{a.type, a.bits << b.bits};
      return Constant{a.type, a.type == ConstantType::s64
                                  ? static_cast<std::uint64_t>(as_signed(a.bits) >> b.bits)
                                  : a.bits >> b.bits};
    case Op::band:
      return Constant{type, a.bits & b.bits};
    case Op::bxor:
      return Constant{type, a.bits ^ b.bits};
    case Op::bor:
      return Constant{type, a.bits | b.bits};
    case Op::land:
      return boolean(a.bits != 0 && b.bits != 0);
    default:
      return boolean(a.bits != 0 || b.bits != 0);
  }
}

std::optional<Constant> Reader::divide(Op op, const Constant& a, const Constant& b, bool is_signed,
                                       Position position) {
  if (b.bits == 0) return wrong(position, "division by zero in a constant expression");
  if (op == Op::rem) return Constant{ConstantType::u64, a.bits % b.bits};
  if (!is_signed) return Constant{ConstantType::u64, a.bits / b.bits};
  if (as_signed(a.bits) == std::numeric_limits<std::int64_t>::min() && as_signed(b.bits) == -1)
    return wrong(position, "the quotient does not fit 64 bits");
  return Constant{ConstantType::s64, static_cast<std::uint64_t>(as_signed(a.bits) / as_signed(b.bits))};
}

std::optional<Constant> Reader::apply_real(Op op, double a, double b, Position position) {
  if (is_comparison(op)) return boolean(compare(op, a, b));
  switch (op) {
    case Op::mul:
      return real(a * b);
    case Op::div:
      return real(a / b);
    case Op::add:
      return real(a + b);
    case Op::sub:
      return real(a - b);
    default:
      return wrong(position, "this operator is for integers only (4.5.4)");
  }
}

}  // namespace

bool at_constant(const Cursor& cursor, bool parenthesis) {
  std::size_t signs = 0;
  const auto sign = [](const Token& t) { return t.is("+") || t.is("-") || t.is("~") || t.is("!"); };
  while (sign(cursor.peek(signs))) ++signs;
  const Token& token = cursor.peek(signs);
  if (token.kind == TokenKind::integer || token.kind == TokenKind::floating) return true;
  if (token.is("(")) return parenthesis || signs != 0;
  if (!token.is_word("WARP_SZ")) return false;
  const Token& next = cursor.peek(signs + 1);  // alone it is a name like others
  return signs != 0 || (next.kind == TokenKind::punct && !next.is(",") && !next.is("}") && !next.is("]") &&
                        !next.is(")") && !next.is(";") && !next.is(":"));
}

std::optional<Constant> read_constant(Cursor& cursor) {
  return Reader(cursor).ternary(0);
}

std::optional<Constant> read_term(Cursor& cursor) {
  return Reader(cursor).binary(kTightest, 0);
}

bool read_offset(Cursor& cursor, std::int64_t& sum) {
  const Token sign = cursor.take();
  const std::optional<Constant> value = read_term(cursor);
  if (!value) return false;
  if (!value->is_integer()) {
    cursor.error(sign.position, "an offset is an integer");
    return false;
  }
  const auto before = static_cast<std::uint64_t>(sum);
  sum = static_cast<std::int64_t>(sign.is("-") ? before - value->bits : before + value->bits);
  return true;
}

}  // namespace ptxmc::ptx

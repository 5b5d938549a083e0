// SPDX-License-Identifier: Apache-2.0
#include "litmus/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ptxmc::litmus {

namespace {

constexpr std::array<std::string_view, 7> kSectionWords = {"exists", "forall", "filter", "locations",
                                                           "final",  "scopes", "regions"};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Token Cursor::peek(std::size_t ahead) const {
  const std::size_t index = next_ + ahead;
  if (index < std::min(end_, tokens_->size())) return (*tokens_)[index];
  Token end = (*tokens_)[std::min(end_, tokens_->size() - 1)];
  end.kind = TokenKind::end;
  return end;
}

Token Cursor::take() {
  Token token = peek();
  if (!at_end()) ++next_;
  return token;
}

bool Cursor::accept(std::string_view punct) {
  if (!is(punct)) return false;
  ++next_;
  return true;
}

bool Cursor::accept_word(std::string_view name) {
  if (!is_word(name)) return false;
  ++next_;
  return true;
}

bool Cursor::expect(std::string_view punct, std::string_view why) {
  if (accept(punct)) return true;
  expected(why.empty() ? fmt::format("`{}`", punct) : fmt::format("`{}` {}", punct, why));
  return false;
}

void Cursor::expected(std::string_view what) {
  errors_->error(here().position, fmt::format("expected {}, found {}", what, describe(here())));
}

bool Cursor::at_integer() const {
  if (is("-") || is("+")) return peek(1).kind == TokenKind::integer;
  return peek().kind == TokenKind::integer;
}

std::optional<std::int64_t> Cursor::integer(std::string_view what) {
  if (!at_integer()) {
    expected(what);
    return std::nullopt;
  }
  const Position position = peek().position;
  const bool negative = is("-");
  if (negative || is("+")) take();
  const Token digits = take();
  const std::optional<std::uint64_t> value = parse_digits(digits.text);
  constexpr std::uint64_t kMinimum = std::uint64_t{1} << 63;
  if (!value || (negative && *value > kMinimum)) {
    errors_->error(position, fmt::format("`{}{}` is no 64-bit integer", negative ? "-" : "", digits.text));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(negative ? ~*value + 1 : *value);
}

std::optional<int> Cursor::number(std::string_view what, int limit) {
  if (peek().kind != TokenKind::integer) {
    expected(what);
    return std::nullopt;
  }
  const Token digits = take();
  const std::optional<std::uint64_t> value = parse_digits(digits.text);
  if (!value || *value > static_cast<std::uint64_t>(limit)) {
    errors_->error(digits.position,
                   fmt::format("expected {} up to {}, found `{}`", what, limit, digits.text));
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

void Cursor::skip_to(std::string_view a, std::string_view b) {
  int depth = 0;
  while (!at_end()) {
    const Token token = peek();
    if (depth == 0 && (token.is(a) || (!b.empty() && token.is(b)))) return;
    if (token.is("{") || token.is("(") || token.is("[")) ++depth;
    if ((token.is("}") || token.is(")") || token.is("]")) && depth > 0) --depth;
    ++next_;
  }
}

std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t base = 10;
  if (text.size() > 1 && text.back() == 'U') text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
    if (text[0] == 'x' || text[0] == 'X' || text[0] == 'b' || text[0] == 'B') {
      base = text[0] == 'x' || text[0] == 'X' ? 16 : 2;
      text.remove_prefix(1);
    }
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    const std::uint64_t digit = c >= 'a' && c <= 'f'   ? c - 'a' + 10U
                                : c >= 'A' && c <= 'F' ? c - 'A' + 10U
                                                       : c - '0' + 0U;
    if (digit >= base || value > (~std::uint64_t{0} - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

std::optional<int> thread_number(std::string_view name) {
  if (name.size() < 2 || name.size() > 6 || name.front() != 'P' || !all_digits(name.substr(1)))
    return std::nullopt;
  int value = 0;
  for (const char c : name.substr(1)) value = value * 10 + (c - '0');
  if (value > kMaxNumber) return std::nullopt;
  return value;
}

bool is_bare_register(std::string_view name) {
  return name.size() > 1 && name.front() == 'r' && all_digits(name.substr(1));
}

bool is_variable_name(const Token& token) {
  return token.kind == TokenKind::identifier && token.text != "_" && !is_bare_register(token.text);
}

bool is_section_word(std::string_view name) {
  return std::find(kSectionWords.begin(), kSectionWords.end(), name) != kSectionWords.end();
}

}  // namespace ptxmc::litmus

// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/cursor.h"

#include <fmt/format.h>

#include "support/nearest.h"

namespace ptxmc::ptx {

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

bool Cursor::accept_dotted(std::string_view name) {
  if (!peek().is_dotted(name)) return false;
  ++next_;
  return true;
}

bool Cursor::expect(std::string_view punct, std::string_view why) {
  if (accept(punct)) return true;
  expected(why.empty() ? fmt::format("`{}`", punct) : fmt::format("`{}` {}", punct, why));
  return false;
}

void Cursor::expected(std::string_view what) {
  const Token& found = here();
  // A `;` that is missing is missing at the end of its line, not where the next one begins.
  const bool ends_line =
      what.find("`;`") != std::string_view::npos && found.line_start && next_ > 0 && next_ < end_;
  if (!ends_line)
    return errors_->error(found.position, fmt::format("expected {}, found {}", what, describe(found)));
  Position position = (*tokens_)[next_ - 1].position;
  position.column += position.length;
  position.length = 1;
  errors_->error(position,
                 fmt::format("expected {}, found {} in line {}", what, describe(found), found.position.line));
}

bool Cursor::at_integer() const {
  if (is("-") || is("+")) return peek(1).kind == TokenKind::integer;
  return peek().kind == TokenKind::integer;
}

std::optional<std::int64_t> Cursor::integer(std::string_view what) {
  if (!at_integer()) {
    if (is("-") || is("+")) take();  // what is wrong is behind it
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

std::optional<std::uint64_t> Cursor::size(std::string_view what, std::uint64_t limit) {
  if (peek().kind != TokenKind::integer) {
    expected(what);
    return std::nullopt;
  }
  const Token digits = take();
  const std::optional<std::uint64_t> value = parse_digits(digits.text);
  if (!value || *value > limit) {
    errors_->error(digits.position,
                   fmt::format("expected {} up to {}, found `{}`", what, limit, digits.text));
    return std::nullopt;
  }
  return value;
}

std::optional<int> Cursor::number(std::string_view what, int limit) {
  const std::optional<std::uint64_t> value = size(what, static_cast<std::uint64_t>(limit));
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

void Cursor::skip_to(std::string_view a, std::string_view b) {
  int depth = 0;
  while (!at_end()) {
    const Token& token = peek();
    if (depth == 0 && (token.is(a) || (!b.empty() && token.is(b)))) return;
    if (token.is("{") || token.is("(") || token.is("[")) ++depth;
    if ((token.is("}") || token.is(")") || token.is("]")) && depth > 0) --depth;
    ++next_;
  }
}

std::string did_you_mean(std::string_view word, std::string_view words) {
  std::vector<std::string> candidates;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    candidates.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  const std::optional<std::string> meant = nearest(std::string(word), candidates);
  return meant ? fmt::format("; did you mean `.{}`?", *meant) : "";
}

}  // namespace ptxmc::ptx

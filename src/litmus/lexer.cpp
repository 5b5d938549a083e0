// SPDX-License-Identifier: Apache-2.0
#include "litmus/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ptxmc::litmus {

namespace {

// Longest first: the first that matches is taken.
constexpr std::array<std::string_view, 28> kPuncts = {
    "/\\", "\\/", "=>", "==", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ";",
    ",",   ":",   "|",  "@",  "!",  "~",  "=",  "<", ">", "&", "+", "-", "*", "."};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_name(char c) {
  return is_letter(c) || is_digit(c);
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

class Lexer {
 public:
  Lexer(const Source& source, Place place, Errors& errors)
      : source_(source), place_(place), errors_(errors) {}

  std::vector<Token> run() {
    std::uint32_t last_line = 0;
    while (true) {
      const std::size_t before = place_.offset;
      if (!skip_blank(source_, place_, errors_)) place_.offset = source_.text.size();
      const bool space = place_.offset != before || tokens_.empty();
      Token token = place_.offset < source_.text.size() ? next() : end();
      token.space_before = space;
      token.line_start = token.position.line != last_line;
      last_line = token.position.line;
      if (token.kind == TokenKind::bad) continue;  // reported
      tokens_.push_back(token);
      if (token.kind == TokenKind::end) return std::move(tokens_);
    }
  }

 private:
  std::string_view rest() const { return std::string_view(source_.text).substr(place_.offset); }
  std::size_t name_length(std::string_view text) const {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
  }

  Token make(TokenKind kind, std::size_t length, std::size_t prefix = 0) {
    Token token;
    token.kind = kind;
    token.text = rest().substr(prefix, length - prefix);
    token.position = place_.position;
    token.position.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
    token.offset = place_.offset;
    token.length = length;
    advance(source_, place_, length);
    return token;
  }

  Token end() { return make(TokenKind::end, 0); }

  Token next() {
    const std::string_view text = rest();
    if (is_letter(text.front())) return make(TokenKind::identifier, name_length(text));
    if (is_digit(text.front())) return number(text);
    if (text.front() == '%' && text.size() > 1 && is_letter(text[1])) {
      return make(TokenKind::reg, 1 + name_length(text.substr(1)), 1);
    }
    if (text.front() == '.' && text.size() > 1 && is_name(text[1]))
      return make(TokenKind::word, dotted(text), 1);
    for (const std::string_view punct : kPuncts) {
      if (text.substr(0, punct.size()) == punct) return make(TokenKind::punct, punct.size());
    }
    return unknown(text);
  }

  // .shared::cta
  std::size_t dotted(std::string_view text) const {
    std::size_t length = 1 + name_length(text.substr(1));
    while (text.substr(length, 2) == "::" && length + 2 < text.size() && is_name(text[length + 2])) {
      length += 2 + name_length(text.substr(length + 2));
    }
    return length;
  }

  Token number(std::string_view text) {
    const std::size_t length = name_length(text);
    const std::string_view digits = text.substr(0, length);
    const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const bool binary = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    std::string_view body = digits.substr(hex || binary ? 2 : 0);
    if (body.size() > 1 && body.back() == 'U') body.remove_suffix(1);  // 4.5.1: an unsigned literal
    const bool good = std::all_of(body.begin(), body.end(), [&](char c) {
      if (hex) return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      return binary ? c == '0' || c == '1' : is_digit(c);
    });
    Token token = make(TokenKind::integer, length);
    const bool floating = digits.size() > 2 && digits[0] == '0' &&
                          std::string_view("fFdD").find(digits[1]) != std::string_view::npos;
    if (floating) {
      errors_.error(token.position, fmt::format("floating-point constant `{}` is not supported yet", digits));
      token.text = "0";
    } else if (!good) {
      errors_.error(token.position, fmt::format("`{}` is neither a number nor a name", digits));
      token.text = "0";
    }
    return token;
  }

  // One report for a run of bytes that start no token.
  Token unknown(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && !is_space(text[length]) && !is_name(text[length]) && text[length] != ';' &&
           text[length] != '|' && text[length] != '"') {
      ++length;
    }
    std::string shown;
    for (const char c : text.substr(0, std::min<std::size_t>(length, 20))) {
      shown +=
          c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    errors_.error(place_.position, fmt::format("unexpected `{}`", shown));
    return make(TokenKind::bad, length);
  }

  const Source& source_;
  Place place_;
  Errors& errors_;
  std::vector<Token> tokens_;
};

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "end of file";
    case TokenKind::reg:
      return fmt::format("`%{}`", token.text);
    case TokenKind::word:
      return fmt::format("`.{}`", token.text);
    default:
      return fmt::format("`{}`", token.text);
  }
}

void advance(const Source& source, Place& place, std::size_t count) {
  for (; count != 0 && place.offset < source.text.size(); --count) {
    if (source.text[place.offset] == '\n') {
      ++place.position.line;
      place.position.column = 1;
    } else {
      ++place.position.column;
    }
    ++place.offset;
  }
}

bool skip_blank(const Source& source, Place& place, Errors& errors) {
  const std::string_view text = source.text;
  while (place.offset < text.size()) {
    const std::string_view two = text.substr(place.offset, 2);
    if (is_space(text[place.offset])) {
      advance(source, place, 1);
    } else if (two == "//") {
      advance(source, place, std::min(text.find('\n', place.offset), text.size()) - place.offset);
    } else if (two == "/*") {
      const std::size_t close = text.find("*/", place.offset + 2);
      if (close == std::string_view::npos) {
        errors.error({place.position.line, place.position.column, 2}, "comment without its end `*/`");
        return false;
      }
      advance(source, place, close + 2 - place.offset);
    } else if (two == "(*") {
      const Position start{place.position.line, place.position.column, 2};
      std::size_t depth = 0;
      do {
        const std::string_view here = text.substr(place.offset, 2);
        if (here.empty()) {
          errors.error(start, "comment without its end `*)`");
          return false;
        }
        depth += here == "(*" ? 1 : 0;
        depth -= here == "*)" ? 1 : 0;
        advance(source, place, here == "(*" || here == "*)" ? 2 : 1);
      } while (depth != 0);
    } else {
      return true;
    }
  }
  return true;
}

std::vector<Token> lex(const Source& source, Place place, Errors& errors) {
  return Lexer(source, place, errors).run();
}

}  // namespace ptxmc::litmus

// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/printable.h"

namespace ptxmc::ptx {

namespace {

constexpr std::array<std::string_view, 7> kPairs = {"/\\", "\\/", "=>", "==", "!=", "<=", ">="};
constexpr std::string_view kSingles = "{}()[];,:|@!~=<>&+-*./%^?";

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
constexpr bool is_name(char c) {
  return is_letter(c) || is_digit(c);
}
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

std::size_t name_length(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
}
std::size_t digits_length(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}
/// "e-3" of "1.5e-3"; 0: there is none.
std::size_t exponent_length(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
  const std::size_t digits = digits_length(text.substr(1 + sign));
  return digits == 0 ? 0 : 1 + sign + digits;
}
char at(std::string_view text, std::size_t i) {
  return i < text.size() ? text[i] : '\0';
}

/// 1.5, 1., 1e5, .5e-3: its length; 0: no decimal floating-point constant (4.5.2). `.5d` is a modifier.
std::size_t decimal_length(std::string_view text) {
  const std::size_t whole = digits_length(text);
  std::size_t length = whole;
  if (at(text, length) == '.') {
    const std::size_t fraction = digits_length(text.substr(length + 1));
    if (fraction == 0 && (whole == 0 || is_name(at(text, length + 1)) || at(text, length + 1) == '.'))
      return 0;
    length += 1 + fraction;
  }
  length += exponent_length(text.substr(length));
  return length == whole || is_name(at(text, length)) ? 0 : length;
}

class Lexer {
 public:
  Lexer(const Source& source, Place place, Errors& errors, Comments comments)
      : source_(source), text_(source.text), place_(place), errors_(errors), comments_(comments) {}

  std::vector<Token> run() {
    tokens_.reserve(std::min((text_.size() - std::min(place_.offset, text_.size())) / 3, kMaxTokens) + 1);
    std::uint32_t last_line = 0;
    while (true) {
      const std::size_t before = place_.offset;
      if (!skip_blank(source_, place_, errors_, comments_)) place_.offset = text_.size();
      const bool space = place_.offset != before || tokens_.empty();
      line_start_ = place_.position.line != last_line;
      Token token = place_.offset < text_.size() ? next() : end();
      token.space_before = space;
      token.line_start = line_start_;
      last_line = token.position.line;
      if (token.kind == TokenKind::bad) continue;  // reported
      tokens_.push_back(token);
      if (token.kind == TokenKind::end) return std::move(tokens_);
      if (tokens_.size() == kMaxTokens) {
        errors_.error(token.position, fmt::format("more than {} words and signs", kMaxTokens));
        throw TooManyErrors();
      }
    }
  }

 private:
  std::string_view rest() const { return text_.substr(place_.offset); }

  /// What is missing at the end is missing behind the last word, not behind the blank lines that follow it.
  Token end() {
    Token token = make(TokenKind::end, 0);
    if (!tokens_.empty()) {
      token.position = tokens_.back().position;
      token.position.column += token.position.length;
      token.position.length = 1;
    }
    return token;
  }

  // Tokens have no line end in them.
  Token make(TokenKind kind, std::size_t length, std::size_t prefix = 0, std::size_t suffix = 0) {
    Token token;
    token.kind = kind;
    token.text = rest().substr(prefix, length - prefix - suffix);
    token.position = place_.position;
    token.position.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
    token.offset = static_cast<std::uint32_t>(place_.offset);
    token.length = static_cast<std::uint32_t>(length);
    place_.offset += length;
    place_.position.column += static_cast<std::uint32_t>(length);
    return token;
  }

  Token next() {
    const std::string_view text = rest();
    const char c = text.front();
    if (is_letter(c)) return make(TokenKind::identifier, name_length(text));
    if (is_digit(c)) return number(text);
    if (c == '%' && is_name(at(text, 1))) return make(TokenKind::reg, 1 + name_length(text.substr(1)), 1);
    if (c == '.' && is_name(at(text, 1))) {
      const bool joined = place_.offset != 0 && is_name(text_[place_.offset - 1]);
      const std::size_t decimal = is_digit(text[1]) && !joined ? decimal_length(text) : 0;
      return decimal != 0 ? make(TokenKind::floating, decimal) : make(TokenKind::word, dotted(text), 1);
    }
    if (c == '"') return string(text);
    for (const std::string_view pair : kPairs) {
      if (c == pair[0] && at(text, 1) == pair[1]) return make(TokenKind::punct, 2);
    }
    return kSingles.find(c) != std::string_view::npos ? make(TokenKind::punct, 1) : unknown(text);
  }

  // .shared::cta
  static std::size_t dotted(std::string_view text) {
    std::size_t length = 1 + name_length(text.substr(1));
    while (text.substr(length, 2) == "::" && is_name(at(text, length + 2))) {
      length += 2 + name_length(text.substr(length + 2));
    }
    // .sp::2:4
    const bool ratio =
        length > 1 && is_digit(text[length - 1]) && text.substr(0, length).find("::") != text.npos;
    if (ratio && at(text, length) == ':' && is_digit(at(text, length + 1)))
      length += 1 + digits_length(text.substr(length + 1));
    return length;
  }

  // A backslash keeps the quote behind it from ending the string.
  Token string(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && text[length] != '"' && text[length] != '\n') {
      length += text[length] == '\\' && at(text, length + 1) != '\n' ? 2 : 1;
    }
    if (at(text, length) != '"') return unknown(text);
    return make(TokenKind::string, length + 1, 1, 1);
  }

  Token number(std::string_view text) {
    if (const std::size_t decimal = decimal_length(text); decimal != 0)
      return make(TokenKind::floating, decimal);
    const std::size_t length = name_length(text);
    const std::string_view digits = text.substr(0, length);
    const char mark = digits.size() > 2 && digits[0] == '0' ? digits[1] : '\0';
    if (std::string_view("fFdD").find(mark) != std::string_view::npos && mark != '\0') return exact(digits);
    const bool hex = mark == 'x' || mark == 'X';
    const bool binary = mark == 'b' || mark == 'B';
    std::string_view body = digits.substr(hex || binary ? 2 : 0);
    if (body.size() > 1 && body.back() == 'U') body.remove_suffix(1);  // 4.5.1: an unsigned literal
    const bool good = std::all_of(body.begin(), body.end(), [&](char c) {
      return hex ? is_hex(c) : binary ? c == '0' || c == '1' : is_digit(c);
    });
    Token token = make(TokenKind::integer, length);
    if (!good) {
      errors_.error(token.position, fmt::format("`{}` is neither a number nor a name", digits));
      token.text = "0";
    }
    return token;
  }

  // 0f and 8 hexadecimal digits, 0d and 16 (4.5.2)
  Token exact(std::string_view text) {
    const std::size_t wanted = text[1] == 'f' || text[1] == 'F' ? 8 : 16;
    Token token = make(TokenKind::floating, text.size());
    if (text.size() != wanted + 2 || !std::all_of(text.begin() + 2, text.end(), is_hex)) {
      errors_.error(token.position,
                    fmt::format("`{}`: {} hexadecimal digits follow `{}`", text, wanted, text.substr(0, 2)));
      token.text = wanted == 8 ? "0f00000000" : "0d0000000000000000";
    }
    return token;
  }

  // One report for a run of bytes that start no token.
  Token unknown(std::string_view text) {
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    std::size_t length = 1;
    while (length < text.size() && !is_blank(text[length]) && !is_name(text[length]) && text[length] != ';' &&
           text[length] != '|' && text[length] != '"' && printable(text[length]) == printable(text[0])) {
      ++length;
    }
    if (text.front() == '"') {
      length = std::min(text.find('\n'), text.size());
      errors_.error(place_.position, "string without its end `\"`");
      return make(TokenKind::bad, length);
    }
    if (text.front() == '#' && line_start_ && comments_ == Comments::ptx) {
      length = std::min(text.find('\n'), text.size());
      errors_.error(place_.position, "lines of the preprocessor are not read; run it first (4.1)");
      return make(TokenKind::bad, length);
    }
    std::string shown;
    for (const char c : text.substr(0, std::min<std::size_t>(length, 20))) {
      shown += printable(c) ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    const Token bad = make(TokenKind::bad, length);
    errors_.error(bad.position, fmt::format("unexpected `{}`", shown));
    return bad;
  }

  const Source& source_;
  std::string_view text_;
  Place place_;
  Errors& errors_;
  Comments comments_;
  bool line_start_ = false;
  std::vector<Token> tokens_;
};

/// `(* *)`, nested; false: it does not end.
bool skip_parenthesised(const Source& source, Place& place) {
  const std::string_view text = source.text;
  std::size_t depth = 0;
  do {
    const std::string_view here = text.substr(place.offset, 2);
    if (here.empty()) return false;
    depth += here == "(*" ? 1 : 0;
    depth -= here == "*)" ? 1 : 0;
    advance(source, place, here == "(*" || here == "*)" ? 2 : 1);
  } while (depth != 0);
  return true;
}

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "end of file";
    case TokenKind::reg:
      return fmt::format("`%{}`", token.text);
    case TokenKind::word:
      return fmt::format("`.{}`", token.text);
    case TokenKind::string:
      return fmt::format("`\"{}\"`", token.text);
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

/// Nothing but blanks stands before it on its line.
bool begins_line(std::string_view text, std::size_t offset) {
  while (offset > 0 && text[offset - 1] != '\n') {
    if (!is_blank(text[--offset])) return false;
  }
  return true;
}

bool skip_blank(const Source& source, Place& place, Errors& errors, Comments comments) {
  const std::string_view text = source.text;
  while (place.offset < text.size()) {
    const char c = text[place.offset];
    if (is_blank(c)) {
      advance(source, place, 1);
      continue;
    }
    if (c == '#' && comments == Comments::parenthesised && begins_line(text, place.offset)) {
      advance(source, place, std::min(text.find('\n', place.offset), text.size()) - place.offset);
      continue;
    }
    if (c != '/' && c != '(') return true;
    const std::string_view two = text.substr(place.offset, 2);
    const Position start{place.position.line, place.position.column, 2};
    if (two == "//") {
      advance(source, place, std::min(text.find('\n', place.offset), text.size()) - place.offset);
    } else if (two == "/*") {
      const std::size_t close = text.find("*/", place.offset + 2);
      if (close == std::string_view::npos) {
        errors.error(start, "comment without its end `*/`");
        return false;
      }
      advance(source, place, close + 2 - place.offset);
    } else if (two == "(*" && comments == Comments::parenthesised) {
      if (!skip_parenthesised(source, place)) {
        errors.error(start, "comment without its end `*)`");
        return false;
      }
    } else {
      return true;
    }
  }
  return true;
}

std::vector<Token> lex(const Source& source, Place place, Errors& errors, Comments comments) {
  return Lexer(source, place, errors, comments).run();
}

std::string squeezed(const Source& source, std::size_t begin, std::size_t end, Comments comments) {
  Errors ignored(nullptr);  // what has tokens has no open comment
  std::string out;
  Place place{begin, {}};
  while (place.offset < end) {
    const std::size_t before = place.offset;
    skip_blank(source, place, ignored, comments);
    if (place.offset >= end) break;
    if (place.offset != before) out += ' ';
    out += source.text[place.offset];
    advance(source, place, 1);
  }
  return out;
}

void check_characters(const Source& source, Errors& errors) {
  const std::size_t at = find_control(source.text);
  if (at == std::string::npos) return;
  const std::string_view before = std::string_view(source.text).substr(0, at);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  const std::size_t begin = before.rfind('\n') + 1;  // of npos: 0
  errors.error({line, static_cast<std::uint32_t>(at - begin + 1), 1},
               fmt::format("control character 0x{:02x}", static_cast<unsigned char>(source.text[at])));
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

Diagnostics sorted(const Diagnostics& diagnostics) {
  std::vector<Diagnostic> all = diagnostics.all();
  const auto end = all.size() > Errors::kLimit ? all.end() - 1 : all.end();
  std::stable_sort(all.begin(), end, [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
  });
  Diagnostics out(diagnostics.source());
  for (Diagnostic& d : all) out.error(d.position, std::move(d.message), std::move(d.notes));
  return out;
}

}  // namespace ptxmc::ptx

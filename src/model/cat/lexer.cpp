// SPDX-License-Identifier: Apache-2.0
#include "model/cat/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ptxmc::cat {

namespace {

constexpr std::array<std::string_view, 18> kKeywords = {
    "acyclic",     "and", "as",    "else", "empty",   "flag", "if",   "in",   "include",
    "irreflexive", "let", "order", "over", "partial", "rec",  "show", "then", "unshow"};

// Longest first: `^-1` before `^`.
constexpr std::array<std::string_view, 21> kSymbols = {"^-1", "^+", "^*", "^?", "|", "&", "\\",
                                                       ";",   "*",  "+",  "?",  "~", "(", ")",
                                                       "[",   "]",  ",",  "=",  "{", "}", ":"};

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '\'';
}

class Lexer {
 public:
  Lexer(const SourcePtr& source, Diagnostics& diagnostics) : text_(source->text), diagnostics_(diagnostics) {}

  Tokens run() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      if (text_.substr(at_, 2) == "(*") {
        block_comment();
      } else if (text_.substr(at_, 2) == "//") {
        line_comment();
      } else {
        token();
      }
    }
    result_.tokens.push_back(Token{TokenKind::end, "", {line_, column(), 1}, at_, at_, fresh_line_});
    return std::move(result_);
  }

 private:
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_begin_ + 1); }

  void advance() {
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
      fresh_line_ = true;
    }
    ++at_;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) advance();
  }

  void block_comment() {
    const Position start{line_, column(), 2};
    const std::size_t begin = at_;
    const bool first = fresh_line_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const std::string_view two = text_.substr(at_, 2);
      if (two == "(*" || two == "*)") {
        depth += two == "(*" ? 1 : -1;
        advance();
        advance();
        if (depth == 0) break;
      } else {
        advance();
      }
    }
    if (depth != 0) diagnostics_.error(start, "found a comment without its end, expected `*)`");
    result_.comments.push_back({std::string(text_.substr(begin, at_ - begin)), start.line, line_, first});
  }

  void line_comment() {
    const std::size_t begin = at_;
    const bool first = fresh_line_;
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    result_.comments.push_back({std::string(text_.substr(begin, at_ - begin)), line_, line_, first});
  }

  void push(TokenKind kind, std::string text, std::size_t length) {
    const Position position{line_, column(), static_cast<std::uint32_t>(length)};
    result_.tokens.push_back(Token{kind, std::move(text), position, at_, at_ + length, fresh_line_});
    fresh_line_ = false;
    at_ += length;
  }

  void token() {
    const char c = text_[at_];
    if (c == '"') return string();
    if (starts_name(c)) {
      std::size_t length = 1;
      while (at_ + length < text_.size() && continues_name(text_[at_ + length])) ++length;
      const std::string_view word = text_.substr(at_, length);
      return push(is_keyword(word) ? TokenKind::keyword : TokenKind::identifier, std::string(word), length);
    }
    if (c == '0' && !(at_ + 1 < text_.size() && continues_name(text_[at_ + 1])))
      return push(TokenKind::zero, "0", 1);
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) == symbol)
        return push(TokenKind::symbol, std::string(symbol), symbol.size());
    }
    bad_character();
  }

  void string() {
    std::size_t length = 1;
    while (at_ + length < text_.size() && text_[at_ + length] != '"' && text_[at_ + length] != '\n') ++length;
    const bool closed = at_ + length < text_.size() && text_[at_ + length] == '"';
    if (!closed) {
      diagnostics_.error({line_, column(), static_cast<std::uint32_t>(length)},
                         "found a string without its end, expected `\"` on the same line");
    }
    push(TokenKind::string, std::string(text_.substr(at_ + 1, length - 1)), closed ? length + 1 : length);
  }

  // One message for a run of bad characters (a multi-byte character is several).
  void bad_character() {
    std::size_t length = 1;
    while (at_ + length < text_.size() && static_cast<unsigned char>(text_[at_ + length]) >= 0x80) ++length;
    std::string shown(text_.substr(at_, length));
    const auto byte = static_cast<unsigned char>(shown[0]);
    if (byte < 0x20 || byte == 0x7f) shown = "byte " + std::to_string(byte);
    diagnostics_.error({line_, column(), static_cast<std::uint32_t>(length)},
                       "found `" + shown + "`, which means nothing in a cat text");
    push(TokenKind::bad, "", length);
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  Tokens result_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
  bool fresh_line_ = true;
};

}  // namespace

bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.kind == TokenKind::string) return "the string \"" + token.text + "\"";
  return "`" + token.text + "`";
}

Tokens lex(const SourcePtr& source, Diagnostics& diagnostics) {
  return Lexer(source, diagnostics).run();
}

}  // namespace ptxmc::cat

// SPDX-License-Identifier: Apache-2.0
// A place in the tokens of a cat text; internal to the parser.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/cat/lexer.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

struct SyntaxError {};  // thrown by Cursor::fail; already reported

class Cursor {
 protected:
  explicit Cursor(const SourcePtr& source) : local_(source) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool is_symbol(std::string_view text) const {
    return peek().kind == TokenKind::symbol && peek().text == text;
  }
  bool is_word(std::string_view text) const {
    return peek().kind == TokenKind::keyword && peek().text == text;
  }
  bool accept_symbol(std::string_view text) { return is_symbol(text) && (take(), true); }
  bool accept_word(std::string_view text) { return is_word(text) && (take(), true); }

  [[noreturn]] void fail(const std::string& expected) {
    fail_at(peek(), "found " + describe(peek()) + ", expected " + expected);
  }
  [[noreturn]] void fail_at(const Token& token, const std::string& message) {
    if (token.kind != TokenKind::bad) local_.error(token.position, message);
    throw SyntaxError{};
  }
  void expect_symbol(std::string_view text) {
    if (!accept_symbol(text)) fail("`" + std::string(text) + "`");
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Diagnostics local_;  // of this file
};

}  // namespace ptxmc::cat

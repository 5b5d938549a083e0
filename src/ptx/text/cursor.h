// SPDX-License-Identifier: Apache-2.0
// A reading position in a range of tokens, and the small questions that every part of a reader asks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/errors.h"
#include "ptx/text/lexer.h"

namespace ptxmc::ptx {

class Cursor {
 public:
  /// Tokens [begin, end) of a list that ends with an `end` token; `end` may stand on any token, which is then
  /// not read.
  Cursor(const std::vector<Token>& tokens, std::size_t begin, std::size_t end, Errors& errors)
      : tokens_(&tokens), next_(begin), end_(std::min(end, tokens.size() - 1)), errors_(&errors) {
    stop_ = tokens[end_];
    stop_.kind = TokenKind::end;
  }

  bool at_end() const { return next_ >= end_; }
  /// The token `ahead` places on. At the end of the range: a token of kind `end`.
  const Token& peek(std::size_t ahead = 0) const {
    return next_ + ahead < end_ ? (*tokens_)[next_ + ahead] : stop_;
  }
  /// What messages name at this place: the token itself, also where the range ends.
  const Token& here() const { return (*tokens_)[std::min(next_, tokens_->size() - 1)]; }
  const Token& take() { return at_end() ? stop_ : (*tokens_)[next_++]; }
  std::size_t index() const { return next_; }
  void move_to(std::size_t index) { next_ = index; }
  std::size_t end_index() const { return end_; }
  const std::vector<Token>& tokens() const { return *tokens_; }
  Errors& errors() const { return *errors_; }

  bool is(std::string_view punct) const { return peek().is(punct); }
  bool is_word(std::string_view name) const { return peek().is_word(name); }
  bool accept(std::string_view punct);
  bool accept_word(std::string_view name);
  /// Takes a dotted word, without its dot.
  bool accept_dotted(std::string_view name);
  /// Takes `punct`, or reports "expected `punct` WHY, found ..."; false then.
  bool expect(std::string_view punct, std::string_view why = {});
  /// Reports "expected WHAT, found ..." at this place.
  void expected(std::string_view what);
  void error(Position position, std::string message, std::vector<Note> notes = {}) {
    errors_->error(position, std::move(message), std::move(notes));
  }

  /// [+-] integer as a 64-bit pattern; reports and returns nothing when there is none or it does not fit.
  std::optional<std::int64_t> integer(std::string_view what = "an integer");
  bool at_integer() const;
  /// A number that is no pattern: 0 <= n <= limit.
  std::optional<std::uint64_t> size(std::string_view what, std::uint64_t limit);
  std::optional<int> number(std::string_view what, int limit);

  /// Moves on to the next of these punctuation marks outside brackets; stops at the end of the range.
  void skip_to(std::string_view a, std::string_view b = {});

 private:
  const std::vector<Token>* tokens_;
  std::size_t next_;
  std::size_t end_;
  Errors* errors_;
  Token stop_;
};

/// "; did you mean `.global`?", or nothing: the dotted word of `words` (separated by blanks) that is next to `word`.
std::string did_you_mean(std::string_view word, std::string_view words);

}  // namespace ptxmc::ptx

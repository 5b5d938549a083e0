// SPDX-License-Identifier: Apache-2.0
// Tokens of a litmus file, from its first `{` on (what stands before is read line by line: header.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/errors.h"
#include "support/source.h"

namespace ptxmc::litmus {

enum class TokenKind {
  end,
  identifier,  // x, LC00, $L__BB0_1, _
  integer,     // 12, 0x1f, 0b101, 017 (octal, as in PTX); no sign
  reg,         // %r0
  word,        // .global, .shared::cta: text without the dot
  punct,       // one of kPuncts in lexer.cpp
  bad,         // inside the lexer only: bytes that start no token
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view
      text;  // identifier, digits, register without %, word without dot, punctuation; into the source
  Position position;
  std::size_t offset = 0;     // of the first byte in the source
  std::size_t length = 0;     // in bytes, sign characters included
  bool line_start = false;    // nothing but white space and comments before it on its line
  bool space_before = false;  // white space or a comment, or the start of the text, before it

  bool is(std::string_view punct) const { return kind == TokenKind::punct && text == punct; }
  bool is_word(std::string_view name) const { return kind == TokenKind::identifier && text == name; }
};

/// "`;`", "end of file" ...: a token as messages show it.
std::string describe(const Token& token);

/// A place of the source, with what the scanners need to know about it.
struct Place {
  std::size_t offset = 0;
  Position position{1, 1, 1};
};

/// Moves over `count` bytes.
void advance(const Source& source, Place& place, std::size_t count);
/// Skips white space and comments, `(* *)` (nested), `/* */` (PTX's) and `//`; false at an unterminated
/// comment (reported).
bool skip_blank(const Source& source, Place& place, Errors& errors);

/// Everything from `place` on; the last token is `end`. Bytes that start no token are reported and skipped.
std::vector<Token> lex(const Source& source, Place place, Errors& errors);

}  // namespace ptxmc::litmus

// SPDX-License-Identifier: Apache-2.0
// Tokens of PTX text (manual, chapter 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/errors.h"
#include "support/source.h"

namespace ptxmc::ptx {

enum class TokenKind : std::uint8_t {
  end,
  identifier,  // x, LC00, $L__BB0_1, _
  integer,     // 12, 0x1f, 0b101, 017 (octal), 12U; no sign
  floating,    // 1.5, .5, 1e-3, 0f3F800000, 0d3FF0000000000000; no sign
  reg,         // %r0
  word,        // .global, .shared::cta: text without the dot
  string,      // "nounroll": text without the quotes
  punct,       // /\ \/ => == != <= >= and single characters
  bad,         // inside the lexer only: bytes that start no token
};

struct Token {
  std::string_view text;  // identifier, digits, register without %, word without dot ...; into the source
  Position position;
  std::uint32_t offset = 0;  // of the first byte in the source
  std::uint32_t length = 0;  // in bytes, sign characters included
  TokenKind kind = TokenKind::end;
  bool line_start = false;    // nothing but white space and comments before it on its line
  bool space_before = false;  // white space or a comment, or the start of the text, before it

  bool is(std::string_view punct) const { return kind == TokenKind::punct && text == punct; }
  bool is_word(std::string_view name) const { return kind == TokenKind::identifier && text == name; }
  /// A dotted word, without its dot.
  bool is_dotted(std::string_view name) const { return kind == TokenKind::word && text == name; }
  /// Where its `length` bytes end.
  std::size_t end() const { return std::size_t{offset} + length; }
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

/// `//` and `/* */` (4.2), and for notations around PTX `(* *)` too, which nest.
enum class Comments : std::uint8_t { ptx, parenthesised };
/// Skips white space and comments; false at an unterminated comment (reported).
bool skip_blank(const Source& source, Place& place, Errors& errors, Comments comments);

/// Texts are printed as they are: reports one with what a terminal obeys.
void check_characters(const Source& source, Errors& errors);

constexpr std::size_t kMaxTokens = std::size_t{1} << 23;

/// Everything from `place` on; the last token is `end`. Bytes that start no token are reported and skipped.
std::vector<Token> lex(const Source& source, Place place, Errors& errors, Comments comments);

/// The text from `begin` to `end` with one blank for any white space and comments.
std::string squeezed(const Source& source, std::size_t begin, std::size_t end, Comments comments);

/// `text` of an integer token (4.5.1: decimal, octal, hexadecimal, binary, U) as an unsigned number; nothing:
/// too large.
std::optional<std::uint64_t> parse_digits(std::string_view text);

}  // namespace ptxmc::ptx

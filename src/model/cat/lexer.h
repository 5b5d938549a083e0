// SPDX-License-Identifier: Apache-2.0
// Tokens and comments of a cat text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace ptxmc::cat {

enum class TokenKind : std::uint8_t {
  identifier,
  keyword,
  symbol,
  string,
  zero,
  bad,
  end
};  // bad: already reported

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;  // a string's text is without its quotes
  Position position;
  std::size_t begin = 0;  // byte range in the source
  std::size_t end = 0;
  bool first_on_line = false;
};

/// `(* *)` (nested) or `//`. Sections are taken from comments, see sections.h.
struct Comment {
  std::string text;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  bool first_on_line = false;
};

struct Tokens {
  std::vector<Token> tokens;  // the last one is TokenKind::end
  std::vector<Comment> comments;
};

/// Reports characters that mean nothing and unterminated comments and strings, and goes on.
Tokens lex(const SourcePtr& source, Diagnostics& diagnostics);

/// A word that cannot be a name.
bool is_keyword(std::string_view word);

/// "`text`" or "the end of the text", for messages.
std::string describe(const Token& token);

}  // namespace ptxmc::cat

// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/lexer.h"

#include <doctest/doctest.h>

#include "ptx/text/cursor.h"

using namespace ptxmc;
using namespace ptxmc::ptx;

namespace {

struct Lexed {
  SourcePtr source;
  Errors errors;
  std::vector<Token> tokens;

  explicit Lexed(const std::string& text)
      : source(std::make_shared<const Source>(Source{"t", text})), errors(source) {
    tokens = lex(*source, {}, errors, Comments::parenthesised);
  }
  std::string texts() const {
    std::string out;
    for (const Token& token : tokens) {
      if (token.kind != TokenKind::end) out += (out.empty() ? "" : " ") + std::string(token.text);
    }
    return out;
  }
};

}  // namespace

TEST_CASE("tokens") {
  const Lexed l("P0@cta 0 .shared::cta %r0|%p $L__1: /\\ \\/ => != 0x1F 12U");
  CHECK_FALSE(l.errors.any());
  CHECK_EQ(l.texts(), "P0 @ cta 0 shared::cta r0 | p $L__1 : /\\ \\/ => != 0x1F 12U");
  CHECK(l.tokens[4].kind == TokenKind::word);
  CHECK(l.tokens[5].kind == TokenKind::reg);
  CHECK_FALSE(l.tokens[7].space_before);
  CHECK(l.tokens[5].space_before);
  CHECK(l.tokens.back().kind == TokenKind::end);
}

TEST_CASE("positions, line starts and comments") {
  const Lexed l("a (* b (* nested *)\n *) c // d\n  e");
  CHECK_EQ(l.texts(), "a c e");
  CHECK(l.tokens[1].position == Position{2, 5, 1});
  CHECK(l.tokens[2].position == Position{3, 3, 1});
  CHECK(l.tokens[0].line_start);
  CHECK(l.tokens[1].line_start);
  CHECK(l.tokens[2].line_start);
  CHECK_FALSE(Lexed("a b").tokens[1].line_start);
}

TEST_CASE("bytes that start no token are reported once a run") {
  const Lexed l("a \x01\x02 b # c");
  CHECK_EQ(l.texts(), "a b c");
  CHECK_EQ(l.errors.count(), 2);
  CHECK_EQ(Lexed("12ab").errors.count(), 1);
  CHECK_EQ(Lexed("(* open").errors.count(), 1);
  CHECK_EQ(Lexed("a /* b\n */ c").texts(), "a c");
  CHECK_EQ(Lexed("/* open").errors.count(), 1);
}

TEST_CASE("numbers") {
  CHECK_EQ(parse_digits("0"), 0);
  CHECK_EQ(parse_digits("12"), 12);
  CHECK_EQ(parse_digits("0x1f"), 31);
  CHECK_EQ(parse_digits("017"), 15);
  CHECK_EQ(parse_digits("0b101"), 5);
  CHECK_EQ(parse_digits("7U"), 7);
  CHECK_EQ(parse_digits("0U"), 0);
  CHECK_EQ(parse_digits("18446744073709551615"), ~std::uint64_t{0});
  CHECK_FALSE(parse_digits("18446744073709551616").has_value());
  CHECK_FALSE(parse_digits("08").has_value());
}

TEST_CASE("too many errors end the reading") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\x01 ";
  const SourcePtr source = std::make_shared<const Source>(Source{"t", text});
  Errors errors(source);
  CHECK_THROWS_AS(lex(*source, {}, errors, Comments::ptx), TooManyErrors);
  CHECK_EQ(errors.diagnostics().all().size(), Errors::kLimit + 1);
}

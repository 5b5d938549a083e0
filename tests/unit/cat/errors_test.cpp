// SPDX-License-Identifier: Apache-2.0
// Every error of the reader, with its place.
#include "toys.h"

using namespace ptxmc;
using namespace ptxmc::cat::toys;

TEST_CASE("lexical errors") {
  CHECK(only_error("let a = po $ rf\n") == "1:12: found `$`, which means nothing in a cat text");
}

TEST_CASE("syntax errors name what was found and what was expected") {
  CHECK(only_error("let = po\n") == "1:5: found `=`, expected the name that is defined");
  CHECK(only_error("let _ = po\n") == "1:5: found `_`, expected the name that is defined");
  CHECK(only_error("let a po\n") == "1:7: found `po`, expected `=`");
  CHECK(only_error("let a =\n") == "2:1: found the end of the text, expected a set or a relation");
  CHECK(only_error("let a = (po\nlet b = rf\n") == "2:1: found `let`, expected `)`");
  CHECK(only_error("let a = [R\nlet b = rf\n") == "2:1: found `let`, expected `]`");
  CHECK(
      only_error("let a = po rf\n") ==
      "1:12: found `rf`, expected a statement (let, acyclic, irreflexive, empty, flag, order, role, include, "
      "show)");
  CHECK(only_error("flag ~empty po\n") ==
        "2:1: found the end of the text, expected `as` and the name of the flag");
  CHECK(only_error("flag po as x\n") == "1:6: found `po`, expected acyclic, irreflexive or empty");
  CHECK(only_error("acyclic po as\n") == "2:1: found the end of the text, expected a name");
  CHECK(only_error("partial o over po\nlet co = po\n") == "1:9: found `o`, expected `order`");
  CHECK(only_error("order o po\nlet co = po\n") == "1:9: found `po`, expected `over`");
  CHECK(only_error("include a\n") == "1:9: found `a`, expected the name of a file in quotes");
  CHECK(only_error("let f(a, a) = a\n") == "1:10: parameter `a` is named twice");
  CHECK(only_error("let rec f(a) = a\n") == "1:9: `f` is a function: `let rec` defines relations only");
  CHECK(only_error("let a = let\n") == "1:9: found `let`, expected a set or a relation");
  CHECK(only_error("let a = ~po+\n") ==
        "1:12: `~` and `+` on one operand: parentheses must say which comes first");
  CHECK(only_error("let a = po in a\n").find("`let ... in` is not supported") != std::string::npos);
  CHECK(only_error("let a = po\nprocedure f() = empty po end\n").find("`procedure` of herd's language") !=
        std::string::npos);
}

TEST_CASE("unterminated comments and strings") {
  CHECK(only_error("let a = po (* no end\n") == "1:12: found a comment without its end, expected `*)`");
  CHECK(errors("\"title\nlet a = po\n")[0] ==
        "1:1: found a string without its end, expected `\"` on the same line");
}

TEST_CASE("all errors of a text are reported, in one go") {
  const std::vector<std::string> all =
      errors("let a = (po\nlet b = a; nope\nacyclic R as x\nlet c = ]\nlet d = po & W\n");
  std::string joined;
  for (const std::string& one : all) joined += one + "\n";
  CAPTURE(joined);
  CHECK(all == std::vector<std::string>{
                   "2:1: found `let`, expected `)`",
                   "4:9: found `]`, expected a set or a relation",
                   "2:12: found the unknown name `nope`",
                   "3:9: found a set, expected a relation",
                   "5:14: found a set, expected a relation as the operands before it",
               });
}

TEST_CASE("a definition that is wrong does not make its uses wrong") {
  CHECK(errors("let a = nonsense\nlet b = a; a\nlet c = b & R\nacyclic c as x\n").size() == 1);
  CHECK(errors("let a = (\nlet b = a | po\n").size() == 1);
}

TEST_CASE("unknown names suggest the nearest known one") {
  CHECK(only_error("let a = po | (rf & mscop)\n") ==
        "1:20: found the unknown name `mscop`, did you mean `mscope`?");
  CHECK(only_error("let a = mscop\n") == "1:9: found the unknown name `mscop`, did you mean `mscope`?");
  CHECK(only_error("let same-proxy = po\nlet b = same-poxy\n") ==
        "2:9: found the unknown name `same-poxy`, did you mean `same-proxy`?");
  CHECK(only_error("let a = polc\n") == "1:9: found the unknown name `polc`, did you mean `ploc`?");
  CHECK(only_error("let a = Rmw\n") == "1:9: found the unknown name `Rmw`, did you mean `rmw`?");
  CHECK(only_error("let a = domian(po)\n") == "1:9: found the unknown name `domian`, did you mean `domain`?");
  CHECK(only_error("let a = absolutely-not-there\n") == "1:9: found the unknown name `absolutely-not-there`");
  CHECK(only_error("let a = a\n").find("1:9: found the unknown name `a`") == 0);
  CHECK(only_error("let f(a) = f(a)\n").find("1:12: found the unknown name `f`") == 0);
}

TEST_CASE("sorts") {
  CHECK(only_error("let a = R; po\n") ==
        "1:9: found a set, expected a relation (`[S]` is the identity on the set S)");
  CHECK(only_error("let a = [po]\n") == "1:10: found a relation, expected a set");
  CHECK(only_error("let a = R | po\n") == "1:13: found a relation, expected a set as the operands before it");
  CHECK(only_error("let a = po \\ R\n") ==
        "1:14: found a set, expected a relation as the operands before it");
  CHECK(only_error("let a = R+\n") ==
        "1:9: found a set, expected a relation (`[S]` is the identity on the set S)");
  CHECK(only_error("let a = R^-1\n").find("1:9: found a set") == 0);
  CHECK(only_error("let a = R?\n").find("1:9: found a set") == 0);
  CHECK(only_error("let a = po * W\n") == "1:9: found a relation, expected a set");
  CHECK(only_error("let a = R * W * R\n") == "1:9: found a relation, expected a set");
  CHECK(only_error("let a = domain(R)\n").find("1:16: found a set") == 0);
  CHECK(only_error("irreflexive R as x\n").find("1:13: found a set") == 0);
  CHECK(only_error("let rec a = R\n") ==
        "1:13: found a set, expected a relation: `let rec` defines relations only");
  CHECK(only_error("order o over R\nlet co = o\n") ==
        "1:14: found a set, expected the relation whose pairs are ordered");
  CHECK(only_error("let co = R\n") == "1:1: `co` must be a relation: it is the coherence order");
  CHECK(only_error("let a = ~0\n") == "1:9: `~0` is a set or a relation: write `_` or `_ * _`");
}

TEST_CASE("functions and calls") {
  CHECK(only_error("let f(a) = a\nlet b = f\n") ==
        "2:9: `f` is a function, expected its arguments in parentheses");
  CHECK(only_error("let f(a) = a\nlet b = f(po, rf)\n") == "2:9: found 2 arguments, `f` takes 1");
  CHECK(only_error("let a = domain(po, rf)\n") == "1:9: found 2 arguments, `domain` takes 1");
  CHECK(only_error("let a = po(rf)\n") == "1:9: `po` is not a function");
  CHECK(only_error("let f(a) = a; nonsense\n") ==
        "1:15: found the unknown name `nonsense`");  // also when never called
  CHECK(errors("let f(a) = a; po\nlet b = f(R)\nlet c = f(R)\n").size() == 1);
  CHECK(errors("let f(a) = [a]\nlet b = f(po)\nlet c = f(rf)\n") ==
        std::vector<std::string>{"1:13: found a relation, expected a set"});
}

TEST_CASE("let rec must be monotone") {
  CHECK(only_error("let rec a = po \\ a\n") ==
        "1:18: a variable of the `let rec` stands under the right side of `\\`: the definition would not be "
        "monotone");
  CHECK(only_error("let rec a = po | ~a\n") ==
        "1:19: a variable of the `let rec` stands under `~`: the definition would not be monotone");
  CHECK(only_error("let rec a = po | b and b = rf \\ (a; po)\n").find("1:34: a variable") == 0);
  CHECK(only_error("let rec a = po \\ ([domain(a)]; po)\n").find("1:19: a variable") == 0);
  CHECK(only_error("let f(x) = po \\ x\nlet rec a = rf | f(a)\n").find("1:17: a variable") ==
        0);                                               // through a function
  CHECK(errors("let rec a = (po | a) \\ rf\n").empty());  // the left side is fine
  CHECK(errors("let rec a = po | [domain(a)]; rf\n").empty());
  CHECK(errors("let rec a = po\nlet b = rf \\ a\n").empty());  // so is a later statement
}

TEST_CASE("an order's pairs must be fixed") {
  CHECK(only_error("order o over rf\nlet co = o\n") ==
        "1:14: the pairs of an order must not depend on `rf`, which an execution chooses itself");
  CHECK(only_error("order o over po | phase\nlet co = o\n").find("`phase`") != std::string::npos);
  CHECK(only_error("order o over po\norder p over o; o\nlet co = p\n").find("2:14:") == 0);
  CHECK(only_error("order o over fromreads(po)\nlet co = o\n").find("`fromreads`") != std::string::npos);
}

TEST_CASE("no text crashes the reader: depth and expansion are limited") {
  const std::string deep(100000, '(');
  CHECK(errors("let a = " + deep + "\n")[0].find("nested more than") != std::string::npos);
  CHECK(errors("let a = po" + std::string(100000, '+') + "\n")[0].find("nested more than") !=
        std::string::npos);
  CHECK(errors("let a = " + std::string(100000, '~') + "po\n")[0].find("nested more than") !=
        std::string::npos);
  CHECK(errors("let a = " + std::string(100000, '[') + "\n")[0].find("nested more than") !=
        std::string::npos);
  std::string product = "let a = R";
  for (int i = 0; i < 10000; ++i) product += " * R";
  CHECK(errors(product + "\n")[0].find("nested more than") != std::string::npos);
  std::string calls = "let f0(a) = a; a\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "f" + std::to_string(i - 1) + "(a)";
    calls += "let f" + std::to_string(i) + "(a) = " + before + "; " + before + "\n";
  }
  CHECK(errors(calls)[0].find("calls of functions") != std::string::npos);
  std::string wide = "let a = po";
  for (int i = 0; i < 20000; ++i) wide += " | rf";
  CHECK(errors(wide + "\n").empty());
  std::string lets = "let a = po\n";
  for (int i = 0; i < 5000; ++i) lets += "let a = a; po\n";
  CHECK(errors(lets).empty());
}

// SPDX-License-Identifier: Apache-2.0
// `if "CONDITION" then a else b`.
#include <doctest/doctest.h>

#include "model/cat/mutate.h"
#include "model/cat/print.h"
#include "toys.h"

using namespace ptxmc;
using namespace ptxmc::cat;
using namespace ptxmc::cat::toys;

namespace {

// "on" holds, "off" does not; there are no others.
std::optional<bool> conditions(const std::string& condition) {
  if (condition == "on") return true;
  if (condition == "off") return false;
  return std::nullopt;
}

relation::MemoryModel read_if(const std::string& text) {
  return cat::read(source(text), signature(), {}, conditions);
}

std::string first_error(const std::string& text) {
  try {
    read_if(text);
  } catch (const InputError& error) {
    const Diagnostic& d = *error.diagnostics().begin();
    return std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + ": " + d.message;
  }
  return "";
}

bool alike(const std::string& a, const std::string& b) {
  const relation::MemoryModel model = read_if("let first = " + a + "\nlet second = " + b + "\nlet co = 0\n");
  return model.definitions[0].value == model.definitions[1].value;
}

}  // namespace

TEST_CASE("the branch that holds is read") {
  CHECK(alike("if \"on\" then po else rf", "po"));
  CHECK(alike("if \"off\" then po else rf", "rf"));
  CHECK(alike("if \"off\" then R else W", "W"));
  CHECK_FALSE(alike("if \"on\" then po else rf", "rf"));
}

TEST_CASE("`else` reaches as far as it can; an operand stands in parentheses") {
  CHECK(alike("if \"on\" then po else rf | po", "po"));
  CHECK(alike("(if \"on\" then po else rf) | rf", "po | rf"));
  CHECK(alike("[if \"on\" then R else W]; po", "[R]; po"));
  CHECK(alike("domain(if \"off\" then po else rf)", "domain(rf)"));
  CHECK(alike("if \"off\" then po else if \"on\" then rf else 0", "rf"));
  CHECK(first_error("let a = po | if \"on\" then po else rf\n") ==
        "1:14: an `if` that is an operand stands in parentheses");
}

TEST_CASE("the branch that does not hold leaves nothing behind") {
  const relation::MemoryModel model = read_if("let co = 0\nlet a = if \"on\" then po else rf; rf\n");
  CHECK(model.tree.relations().size() == read_if("let co = 0\nlet a = po\n").tree.relations().size());
}

TEST_CASE("both branches have one sort; `0` has either") {
  CHECK(first_error("let a = if \"on\" then R else po\n") ==
        "1:29: found a relation, expected a set as the branch before it");
  CHECK(first_error("let a = if \"off\" then R else po\n") ==
        "1:30: found a relation, expected a set as the branch before it");
  CHECK(alike("if \"on\" then 0 else po", "po & 0"));
  CHECK(alike("[if \"on\" then 0 else R]", "[R & 0]"));
  // a set that happens to be empty is still no relation
  CHECK(first_error("let a = po | (if \"on\" then 0 else R)\n") ==
        "1:15: found a set, expected a relation as the operands before it");
}

TEST_CASE("errors: the other branch is checked, an unknown condition is one") {
  CHECK(first_error("let a = if \"on\" then po else nowhere\n") == "1:30: found the unknown name `nowhere`");
  CHECK(first_error("let a = if \"maybe\" then po else rf\n") ==
        "1:9: found the unknown condition \"maybe\"");
  CHECK(first_error("let a = if on then po else rf\n").find("the condition in quotes") != std::string::npos);
  CHECK(first_error("let a = if \"on\" po else rf\n") == "1:17: found `po`, expected `then`");
  CHECK(first_error("let a = if \"on\" then po\n").find("expected `else`") != std::string::npos);
  CHECK(first_error("let a = else\nlet b = nowhere\n").substr(0, 2) == "1:");
  CHECK_THROWS_AS(cat::read(source("let a = if \"on\" then po else rf\n"), signature()), InputError);
}

TEST_CASE("a deep chain is an error, no overflow") {
  std::string text = "let a = ";
  for (int i = 0; i < 5000; ++i) text += "if \"on\" then po else ";
  CHECK(first_error(text + "rf\n").find("nested more than") != std::string::npos);
}

TEST_CASE("a model with an `if` prints as the branch that holds, and reads back") {
  const relation::MemoryModel model =
      read_if("let co = 0\nlet a = (if \"on\" then po else rf) | rf\nacyclic a as x\n");
  const std::string text = print(model, signature());
  CHECK(text.find("if") == std::string::npos);
  CHECK(print(cat::read(source(text, "printed.cat"), signature()), signature()) == text);
}

TEST_CASE("mutants: of an `if`, the other branch, and those of the branch that holds") {
  std::vector<std::string> found;
  for (const Mutant& mutant :
       mutants(source("let co = 0\nlet a = if \"off\" then po & rf else po | rf\nacyclic a as x\n"),
               signature(), {}, conditions))
    found.push_back(mutant.description);
  CHECK(found == std::vector<std::string>{"line 2: read `off` the other way in a",
                                          "line 2: drop `| po` from a", "line 2: drop `| rf` from a",
                                          "line 3: drop the axiom x"});
}

TEST_CASE("what only the other branch uses is not mutated") {
  std::vector<std::string> found;
  for (const Mutant& mutant :
       mutants(source("let co = 0\nlet b = po | rf\nlet a = if \"off\" then b else po\nacyclic a as x\n"),
               signature(), {}, conditions))
    found.push_back(mutant.description);
  CHECK(found ==
        std::vector<std::string>{"line 3: read `off` the other way in a", "line 4: drop the axiom x"});
}

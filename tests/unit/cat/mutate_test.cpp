// SPDX-License-Identifier: Apache-2.0
// The mutants of a text, one by one.
#include "model/cat/mutate.h"

#include <algorithm>

#include "equal.h"
#include "toys.h"

using namespace ptxmc;
using namespace ptxmc::cat::toys;

namespace {

std::vector<std::string> descriptions(const std::string& text) {
  std::vector<std::string> out;
  for (const cat::Mutant& mutant : cat::mutants(source(text), signature())) out.push_back(mutant.description);
  return out;
}

}  // namespace

TEST_CASE("each clause of each reachable statement is dropped once") {
  CHECK(descriptions("let co = po\nlet sync = po | rf |\n  dep\nacyclic sync? as x\n") ==
        std::vector<std::string>{
            "line 2: drop `| po` from sync",
            "line 2: drop `| rf` from sync",
            "line 3: drop `| dep` from sync",
            "line 4: drop the axiom x",
            "line 4: drop `?` after `sync` from x",
        });
  CHECK(descriptions("let co = po\nlet a = [R]; po+; [W] \\ rf & (po | rf)\nflag ~empty a as y\n") ==
        std::vector<std::string>{
            "line 2: drop `; [R]` from a",
            "line 2: drop `; po+` from a",
            "line 2: drop `; [W] \\ rf & (po | rf)` from a",
            "line 2: drop `+` after `po` from a",
            "line 2: drop `\\ rf & (po | rf)` from a",
            "line 2: drop `& rf` from a",
            "line 2: drop `& po | rf` from a",
            "line 2: drop `| po` from a",
            "line 2: drop `| rf` from a",
            "line 3: drop the flag y",
        });
}

TEST_CASE("only what is used is mutated") {
  CHECK(
      descriptions("let co = 0\nlet unused = po | rf\nlet f(a) = a | po\nlet used = rf\nacyclic used as x\n")
          .size() == 1);
  CHECK(descriptions("let co = 0\nlet f(a) = a | po\nacyclic f(rf) as x\n").size() == 3);
  CHECK(descriptions("let co = po | rf\n").size() == 2);  // co is used: final values
  CHECK(descriptions("acyclic po as x\n").size() == 1);   // not the default co
  CHECK(descriptions("order o over po | ploc\nlet co = o\n").size() == 2);
}

TEST_CASE("a mutant is the model without the clause, and nothing else") {
  const std::string text =
      "let co = po\nlet rec a = po | a; rf; a\nacyclic a as x\nflag ~empty a & rf as y\n";
  const std::vector<cat::Mutant> all = cat::mutants(source(text), signature());
  const auto model_of = [&](const std::string& description) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const cat::Mutant& m) { return m.description == description; });
    REQUIRE_MESSAGE(found != all.end(), description);
    return found->model;
  };
  CHECK(equal(model_of("line 2: drop `| po` from a"),
              read("let co = po\nlet rec a = a; rf; a\nacyclic a as x\nflag ~empty a & rf as y\n")));
  CHECK(equal(model_of("line 2: drop `; rf` from a"),
              read("let co = po\nlet rec a = po | a; a\nacyclic a as x\nflag ~empty a & rf as y\n")));
  CHECK(equal(model_of("line 3: drop the axiom x"),
              read("let co = po\nlet rec a = po | a; rf; a\nflag ~empty a & rf as y\n")));
  CHECK(equal(model_of("line 4: drop the flag y"),
              read("let co = po\nlet rec a = po | a; rf; a\nacyclic a as x\n")));
  const relation::MemoryModel original = read(text);
  for (const cat::Mutant& mutant : all) CHECK_FALSE(equal(mutant.model, original));
}

TEST_CASE("positions point at what is dropped, in the file where it stands") {
  const auto files = [](const std::string& name) -> SourcePtr {
    return name == "b.cat" ? source("\n let b = po | rf\n", "b.cat") : nullptr;
  };
  const std::vector<cat::Mutant> all =
      cat::mutants(source("let co = 0\ninclude \"b.cat\"\nacyclic b as x\n"), signature(), files);
  REQUIRE(all.size() == 3);
  CHECK(all[1].source->name == "b.cat");
  CHECK(all[1].position == Position{2, 15, 2});
  CHECK(all[1].description == "b.cat line 2: drop `| rf` from b");
}

TEST_CASE("a wrong text has no mutants but errors") {
  CHECK_THROWS_AS(cat::mutants(source("let a = b\n"), signature()), InputError);
}

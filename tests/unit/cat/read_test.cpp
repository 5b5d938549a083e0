// SPDX-License-Identifier: Apache-2.0
// Every construct of the language: what it denotes.
#include "toys.h"

using namespace ptxmc;
using namespace ptxmc::cat::toys;

TEST_CASE("operators bind as herd's do: loosest | ; \\ & * postfix") {
  CHECK(same("po | rf; dep", "po | (rf; dep)"));
  CHECK_FALSE(same("po | rf; dep", "(po | rf); dep"));
  CHECK(same("po; rf \\ dep", "po; (rf \\ dep)"));
  CHECK_FALSE(same("po; rf \\ dep", "(po; rf) \\ dep"));
  CHECK(same("po \\ rf & dep", "po \\ (rf & dep)"));
  CHECK_FALSE(same("po \\ rf & dep", "(po \\ rf) & dep"));
  CHECK(same("R * W & po", "(R * W) & po"));
  CHECK(same("po & rf+", "po & (rf+)"));
  CHECK(same("po \\ rf \\ dep", "(po \\ rf) \\ dep"));
  CHECK(same("po; rf; dep", "(po; rf); dep"));
  CHECK(same("~R * W", "(~R) * W"));
  CHECK(same("~R & W", "(~R) & W"));
}

TEST_CASE("a chain of any length gives a tree that is not deep") {
  std::string text = "po";
  for (int i = 0; i < 30'000; ++i) text += i % 2 == 0 ? "; rf" : "; po";
  const relation::MemoryModel model = cat::read(
      std::make_shared<const Source>(Source{"long", "let co = 0\nirreflexive " + text + "\n"}), signature());
  std::vector<int> depth;
  int most = 0;
  for (const relation::RelNode& node : model.tree.relations()) {
    const auto* both = std::get_if<relation::Sequence>(&node);
    depth.push_back(both == nullptr ? 0 : 1 + std::max(depth[both->a.index], depth[both->b.index]));
    most = std::max(most, depth.back());
  }
  CHECK(most > 1);
  CHECK(most < 200);
  std::string difference = "po";
  for (int i = 0; i < 100; ++i) difference += i % 2 == 0 ? " \\ rf" : " \\ dep";
  CHECK(same(difference, "po \\ (rf | dep)"));
}

TEST_CASE("a chain of any number of definitions, unless each makes the next one deeper") {
  std::string names = "let co = 0\nlet a0 = po\n", deep = names;
  for (int i = 0; i < 30'000; ++i) {
    names += "let a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "\n";
    deep += "let a" + std::to_string(i + 1) + " = (a" + std::to_string(i) + " \\ rf) | dep\n";
  }
  const auto text = [](const std::string& chain) {
    return std::make_shared<const Source>(Source{"long", chain + "irreflexive a30000\n"});
  };
  CHECK(cat::read(text(names), signature()).definitions.size() == 30'002);
  try {
    cat::read(text(deep), signature());
    FAIL("read");
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].position.line == 3002);  // two levels each
    CHECK(error.diagnostics()[0].message == "`a3000` and what it is made of are nested more than 6000 deep");
  }
}

TEST_CASE("postfix operators and their spellings") {
  CHECK(same("po?", "po | id"));
  CHECK(same("po*", "po+ | id"));
  CHECK(same("po^+", "po+"));
  CHECK(same("po^*", "po*"));
  CHECK(same("po^?", "po?"));
  CHECK(same("po^-1^-1", "po"));
  CHECK_FALSE(same("po^-1", "po"));
  CHECK(same("po+?", "po*"));
}

TEST_CASE("a star is a product when an operand follows, else the closure") {
  CHECK(same("R*W", "R * W"));
  CHECK(same("(R | W)*_", "(R | W) * _"));
  CHECK(same("po*; rf", "(po*); rf"));
  CHECK(same("(po*)", "po*"));
  CHECK(same("R * ~W", "R * (~W)"));
  // what follows on the next line is a statement
  CHECK(read("let a = po*\nlet b = a\n").definitions.size() == 3);
  const relation::MemoryModel model = read("let a = po*\n~empty a as x\n");
  CHECK(model.axioms.size() == 2);  // co's and x
  CHECK(model.axioms.back().negated);
}

TEST_CASE("sets, constants and built-in functions") {
  CHECK(same("[R]", "[R & _]"));
  CHECK(same("[_]", "id"));
  CHECK(same("~R", "_ \\ R"));
  CHECK(same("~po", "_ * _ \\ po"));
  CHECK(same("0 | po", "po"));
  CHECK(same("0 | R", "R"));
  CHECK(same("emptyset | R", "R"));
  CHECK(same("{} | R", "R"));
  CHECK(same("po & 0", "0"));
  CHECK(same("domain([R])", "R"));
  CHECK(same("range([R])", "R"));
  CHECK_FALSE(same("domain(po)", "range(po)"));
  CHECK(same("fromreads(co)", "fr"));
}

TEST_CASE("definitions see those before them and hide them") {
  CHECK(same("a", "po; po", "let a = po\nlet a = a; a\n"));
  CHECK(same("b", "po", "let a = po\nlet a = rf and b = a\n"));  // both from before
}

TEST_CASE("functions") {
  CHECK(same("f(po)", "po; rf", "let f(a) = a; rf\n"));
  CHECK(same("f(po, R)", "[R]; po", "let f(a, b) = [b]; a\n"));
  CHECK(same("f(po)", "po; rf", "let x = rf\nlet f(a) = a; x\nlet x = dep\n"));  // names of its definition
  CHECK(same("g(po)", "(po; po); (po; po)", "let f(a) = a; a\nlet g(a) = f(f(a))\n"));
  CHECK(same("f(R)", "R", "let po-loc = po\nlet f(po) = po\n"));  // a parameter hides a base row
}

TEST_CASE("let rec is a group with one variable for each name") {
  const relation::MemoryModel model = read("let rec a = po | a; b and b = rf | b; a\nacyclic a as x\n");
  REQUIRE(model.tree.groups().size() == 1);
  CHECK(model.tree.groups()[0].variables.size() == 2);
  CHECK(model.tree.groups()[0].bodies.size() == 2);
  CHECK(std::get<relation::Rel>(model.axioms.back().expression) == model.tree.groups()[0].variables[0]);
}

TEST_CASE("axioms and flags") {
  const relation::MemoryModel model = read(
      "acyclic po as A\nirreflexive rf\n~empty R as C\nflag ~empty po as D\nflag acyclic rf as E\n~acyclic "
      "po as F\n");
  REQUIRE(model.axioms.size() == 5);  // the first is co's
  CHECK(model.axioms[1].name == "A");
  CHECK(model.axioms[1].test == relation::Test::acyclic);
  CHECK(model.axioms[2].name == "axiom 3");
  CHECK(model.axioms[2].test == relation::Test::irreflexive);
  CHECK(std::holds_alternative<relation::Set>(model.axioms[3].expression));
  CHECK(model.axioms[3].negated);
  CHECK(model.axioms[4].negated);
  REQUIRE(model.flags.size() == 2);
  CHECK(model.flags[0].name == "D");
  CHECK(model.flags[0].negated);
  CHECK_FALSE(model.flags[1].negated);
  CHECK(model.flags[1].test == relation::Test::acyclic);
}

TEST_CASE("orders") {
  const relation::MemoryModel model =
      read("order o over W * W & ploc\npartial order p over po\nlet co = (o | p)+\n");
  REQUIRE(model.orders.size() == 2);
  CHECK(model.orders[0].name == "o");
  CHECK_FALSE(model.orders[0].partial);
  CHECK(model.orders[1].partial);
  CHECK(model.axioms.empty());
  CHECK(std::holds_alternative<relation::Closure>(model.tree.node(model.coherence)));
}

TEST_CASE("titles, comments, show") {
  CHECK(read("\"my model\"\nlet a = po\n").name == "my model");
  CHECK(read("SOMETHING\nlet a = po\n").name == "toy");
  CHECK(read("let a = po\n").name == "toy");
  CHECK(read("(* a (* nested *) comment *)\n// another\nlet a = po // third\nshow a, po as b\nunshow rf\n")
            .definitions.back()
            .name == "a");
  CHECK(read("").definitions.size() == 1);  // the default co
}

TEST_CASE("names may hold - . ' _ and digits") {
  CHECK(read("let a-b.c_2' = po\nlet d = a-b.c_2'\n").definitions.size() == 3);
}

TEST_CASE("include") {
  const auto files = [](const std::string& name) -> SourcePtr {
    if (name == "a.cat") return source("\"title\"\ninclude \"b.cat\"\nlet a = b; b\n", "a.cat");
    if (name == "b.cat") return source("let b = rf\n", "b.cat");
    if (name == "loop.cat") return source("include \"toy.cat\"\n", "loop.cat");
    if (name == "bad.cat") return source("let b = nonsense\n", "bad.cat");
    return nullptr;
  };
  const relation::MemoryModel model = read("include \"a.cat\"\nlet c = a\n", files);
  REQUIRE(model.definitions.size() == 4);
  CHECK(model.definitions[1].name == "b");
  CHECK(model.definitions[1].source->name == "b.cat");
  CHECK(model.name == "toy");
  CHECK(errors("include \"loop.cat\"\n", files) ==
        std::vector<std::string>{"loop.cat:1:9: `toy.cat` includes itself"});
  CHECK(errors("include \"none.cat\"\n", files) ==
        std::vector<std::string>{"1:9: found no file `none.cat` to include"});
  CHECK(errors("include \"bad.cat\"\nlet x = wrong\n", files) ==
        std::vector<std::string>{"bad.cat:1:9: found the unknown name `nonsense`",
                                 "2:9: found the unknown name `wrong`"});
}

TEST_CASE("positions of definitions, axioms and orders") {
  const relation::MemoryModel model = read("order o over po\n  let co = o\n\n acyclic co as x\n");
  CHECK(model.orders[0].position == Position{1, 1, 5});
  CHECK(model.definitions[0].position == Position{2, 7, 2});
  CHECK(model.axioms[0].position == Position{4, 2, 7});
}

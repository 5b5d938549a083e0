// SPDX-License-Identifier: Apache-2.0
// Conditions and what states show.
#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::Goal;

std::string program(const std::string& condition, const std::string& init = "x=3; y=4; P0:r10=-1; P0:r2=7;") {
  return "PTX t\n{ " + init + " }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ld r1, 5 | ld r1, 6 ;\n" + condition +
         "\n";
}

/// Truth of a condition whose memory holds its initial values.
bool holds(const std::string& condition, const std::string& init = "x=3; y=4; P0:r10=-1; P0:r2=7;") {
  const auto graph = lowered(program("exists (" + condition + ")", init));
  const auto value = graph.exprs.evaluate(graph.proposition, [&](const event::Node& node) {
    return std::optional<event::Value>(graph.exprs[graph.events[node.atom].value].constant);
  });
  REQUIRE(value.has_value());
  return *value != 0;
}

TEST_CASE("states show registers by thread and natural order, then memory by name") {
  const auto graph =
      lowered(program("locations [y; P1:r1; P0:r10;] exists (x == 3 /\\ P0:r2 == 7 /\\ P0:r2 == 8)"));
  std::vector<std::string> names;
  for (const auto& o : graph.observables) names.push_back(o.name);
  CHECK(names == std::vector<std::string>{"0:r2", "0:r10", "1:r1", "[x]", "[y]"});
  CHECK(graph.observables[3].is_memory);
}

TEST_CASE("the filter hides states, it shows no names") {
  const auto graph = lowered(program("filter (x == 1) exists (y == 4)"));
  CHECK(graph.observables.size() == 1);
  CHECK(!graph.exprs.is_constant(graph.filter));
  CHECK(lowered(program("exists (y == 4)")).exprs.is_true(lowered(program("exists (y == 4)")).filter));
}

TEST_CASE("quantifiers, and no condition") {
  CHECK(lowered(program("exists (x == 1)")).goal == Goal::exists);
  CHECK(lowered(program("~exists (x == 1)")).goal == Goal::not_exists);
  CHECK(lowered(program("forall (x == 1)")).goal == Goal::forall);
  const auto none = lowered(program("locations [x;]"));
  CHECK(none.goal == Goal::forall);
  CHECK(none.exprs.is_true(none.proposition));
}

TEST_CASE("connectives and comparisons") {
  CHECK(holds("x == 3 /\\ y == 4"));
  CHECK(!holds("x == 3 /\\ y == 3"));
  CHECK(holds("x == 0 \\/ y == 4"));
  CHECK(holds("~(x == 0)"));
  CHECK(holds("not (x == 0)"));
  CHECK(holds("x < y"));
  CHECK(holds("x <= 3"));
  CHECK(!holds("x > y"));
  CHECK(holds("y >= 4"));
  CHECK(holds("x != y"));
  CHECK(holds("P0:r10 < 0"));  // untyped: signed
  CHECK(holds("P0:r1 == 5 /\\ 1:r1 = 6"));
  CHECK(holds("P0:never == 0"));
  CHECK(holds("0 == 0"));
}

TEST_CASE("constants take the width of the other side; signedness decides order") {
  const std::string init = ".global .u32 u = -1; .global .s32 s = -1; .global .u64 w = 0xffffffff;";
  const auto holds32 = [&](const std::string& condition) { return holds(condition, init); };
  CHECK(holds32("u == -1"));
  CHECK(holds32("u == 0xffffffff"));
  CHECK(holds32("s == -1"));
  CHECK(holds32("s < 0"));
  CHECK(holds32("u > 0"));
  CHECK(holds32("w == u"));   // zero-extended
  CHECK(!holds32("w == s"));  // sign-extended
  const auto graph = lowered(program("exists (u == 1 /\\ s == 1)", init));
  CHECK(!graph.observables[1].is_signed);
  CHECK(graph.observables[0].is_signed);
  CHECK(graph.observables[0].width == 32);
}

TEST_CASE("addresses in conditions print as names") {
  const auto graph = lowered(program("exists (P0:r2 == &x)", "x=0; P0:r2=x;"));
  CHECK(graph.exprs.is_true(graph.proposition));
  REQUIRE(graph.symbols.size() == 1);
  CHECK(graph.symbols[0].second == "x");
}

// The parser refuses such names in texts; other front ends may let them through.
TEST_CASE("errors in conditions") {
  const auto error = [](program::StateName name) {
    auto test = litmus::parse(std::make_shared<Source>(
        Source{"test.litmus", program("exists (x == 0)", ".global .u32 a[4]; .global .u32 x;")}));
    program::Comparison comparison{isa::Compare::eq, name, program::InitialValue{}};
    test.property.condition = std::make_shared<program::Condition>(program::Condition{comparison, {}});
    try {
      lower(test, {});
    } catch (const InputError& e) {
      return e.diagnostics().front().message;
    }
    return std::string();
  };
  CHECK(error({7, "r1", std::nullopt, {}}).find("unknown thread P7") != std::string::npos);
  CHECK(error({std::nullopt, "z", std::nullopt, {}}).find("unknown variable z") != std::string::npos);
  CHECK(error({std::nullopt, "a", std::nullopt, {}}).find("a is an array") != std::string::npos);
  CHECK(error({std::nullopt, "a", 4, {}}).find("a has 4 elements") != std::string::npos);
  CHECK(error({std::nullopt, "a", 3, {}}).empty());
}

}  // namespace
}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#include "helpers.h"
#include "input/litmus/print.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;

namespace {

std::string shown(const std::string& text) {
  return print_condition_line(condition(text).property);
}

bool refused(const std::string& text) {
  return !errors_of("PTX t\n{ x=0; y=0; a[2]; }\n P0 | P1 ;\n ld.weak r0, x | ld.weak r0, y ;\n" + text +
                    "\n")
              .empty();
}

}  // namespace

TEST_CASE("quantifiers") {
  CHECK_EQ(shown("exists (x = 1)"), "exists ([x]=1)");
  CHECK_EQ(shown("~exists x = 1"), "~exists ([x]=1)");
  CHECK_EQ(shown("not exists x = 1"), "~exists ([x]=1)");
  CHECK_EQ(shown("forall (x == 1);"), "forall ([x]=1)");
  CHECK_EQ(shown("final (x = 1) with exists"), "exists ([x]=1)");
  CHECK_EQ(shown("final (x = 1) with ~exists;"), "~exists ([x]=1)");
  CHECK_EQ(shown(""), "forall (true)");
  CHECK(condition("").property.condition == nullptr);
}

TEST_CASE("final with expectations by model states verdicts") {
  const Test t = condition("final (x = 1)\nwith\nsc: ~exists; default: exists; tso: forall;");
  REQUIRE_EQ(t.verdicts.size(), 3);
  CHECK_EQ(t.verdicts[0].model, "sc");
  CHECK(t.verdicts[0].proposition == Stated::forbidden);
  CHECK_EQ(t.verdicts[1].model, "");
  CHECK(t.verdicts[1].proposition == Stated::allowed);
  CHECK(t.verdicts[2].proposition == Stated::required);
  CHECK(t.property.quantifier == Quantifier::exists);
}

TEST_CASE("terms and comparisons") {
  CHECK_EQ(shown("exists (P0:r0 = 1 /\\ 1:r0 == 0x10 /\\ P1 : %r0 != -1)"),
           "exists (0:r0=1 /\\ 1:r0=16 /\\ 1:r0!=-1)");
  CHECK_EQ(shown("exists (x < y /\\ [x] <= a[1] /\\ x > 1 /\\ 1 >= x)"),
           "exists ([x]<[y] /\\ [x]<=a[1] /\\ [x]>1 /\\ 1>=[x])");
  CHECK_EQ(shown("exists 0==0"), "exists (0=0)");
  CHECK_EQ(shown("exists (P0:r0 = &x)"), "exists (0:r0=&x)");
  CHECK_EQ(shown("exists (P0:r0 == P1:r0)"), "exists (0:r0=1:r0)");
  CHECK_EQ(shown("exists ([a[1]] = 1)"), "exists (a[1]=1)");
}

TEST_CASE("operators bind as in herd") {
  CHECK_EQ(shown("exists (x=1 \\/ x=2 /\\ y=1)"), "exists ([x]=1 \\/ [x]=2 /\\ [y]=1)");
  CHECK_EQ(shown("exists ((x=1 \\/ x=2) /\\ y=1)"), "exists (([x]=1 \\/ [x]=2) /\\ [y]=1)");
  CHECK_EQ(shown("exists ~x=1 /\\ not (y=1)"), "exists (not ([x]=1) /\\ not ([y]=1))");
  CHECK_EQ(shown("exists x=1 => y=1 => x=2"), "exists ([x]=1 => [y]=1 => [x]=2)");
  CHECK_EQ(shown("exists (x=1 => y=1) => x=2"), "exists (([x]=1 => [y]=1) => [x]=2)");
  CHECK_EQ(shown("exists ((true))"), "exists (true)");
  CHECK_EQ(shown("exists (false \\/ x=1)"), "exists (false \\/ [x]=1)");
  const Test t = condition("exists x=1 => y=1 => x=2");
  const auto* outer = std::get_if<Implication>(&t.property.condition->node);
  REQUIRE(outer != nullptr);
  CHECK(std::holds_alternative<Comparison>(outer->left->node));
  CHECK(std::holds_alternative<Implication>(outer->right->node));
  CHECK(
      std::holds_alternative<Disjunction>(condition("exists x=1 \\/ x=2 /\\ y=1").property.condition->node));
}

TEST_CASE("locations and filter") {
  const Test t = condition("locations [x; P0:r0; 1:r0, [y]; a;]\nfilter (x = 1)\nexists true");
  REQUIRE_EQ(t.property.locations.size(), 6);
  std::string names;
  for (const StateName& name : t.property.locations) names += print(name) + " ";
  CHECK_EQ(names, "[x] 0:r0 1:r0 [y] a[0] a[1] ");
  REQUIRE(t.property.filter != nullptr);
  CHECK_EQ(print(*t.property.filter), "([x]=1)");
}

TEST_CASE("what conditions refuse") {
  CHECK(refused("exists (x = 1"));
  CHECK(refused("exists x"));
  CHECK(refused("exists"));
  CHECK(refused("exists (x = 1) exists (x = 2)"));
  CHECK(refused("exists (P7:r0 = 1)"));
  CHECK(refused("exists (r0 = 1)"));
  CHECK(refused("exists (a = 1)"));
  CHECK(refused("exists (a[2] = 1)"));
  CHECK(refused("exists (x[0] = 1)"));
  CHECK(refused("exists (x = 1) garbage"));
  CHECK(refused("locations [x y]"));
  CHECK(refused("locations [x"));
  CHECK(refused("filter (x = 1) filter (x = 1)"));
  CHECK(refused("final (x = 1)"));
}

TEST_CASE("nesting is bounded") {
  const auto nested = [](int depth) {
    return "exists " + std::string(depth, '(') + "x=1" + std::string(depth, ')');
  };
  CHECK_FALSE(refused(nested(100)));
  CHECK(refused(nested(1000)));
  CHECK(refused("exists " + std::string(1000, '~') + "x=1"));
  std::string chain = "exists x=1";
  for (int i = 0; i < 1000; ++i) chain += " => x=1";
  CHECK(refused(chain));
  std::string wide = "exists x=1";
  for (int i = 0; i < 1000; ++i) wide += " /\\ x=1";
  CHECK_FALSE(refused(wide));
}

// SPDX-License-Identifier: Apache-2.0
#include "helpers.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;

namespace {

Placement at(const std::string& text) {
  return parse_text("PTX t\n{}\nP0" + text + " ;\n").threads[0].placement;
}

Placement place(int gpu, std::optional<int> cluster, std::optional<int> cta, std::optional<int> warp = {}) {
  return {false, gpu, cluster, cta, warp, {}};
}

std::vector<Placement> tree(const std::string& text) {
  const Test t = parse_text("PTX t\n{}\nP0 | P1 | P2 | P3 ;\nscopes: " + text + "\nexists true\n");
  std::vector<Placement> out;
  for (const Thread& thread : t.threads) out.push_back(thread.placement);
  return out;
}

bool refused(const std::string& text) {
  return !errors_of("PTX t\n{}\nP0 | P1 | P2 | P3 ;\nscopes: " + text + "\nexists true\n").empty();
}

}  // namespace

TEST_CASE("an @ takes levels in any order, with free white space") {
  CHECK(at("") == place(0, {}, {}));
  CHECK(at("@cta 0,gpu 0") == place(0, {}, 0));
  CHECK(at(" @ gpu 1 , cta 2, cluster 3, warp 4") == place(1, 3, 2, 4));
  CHECK(at(" @ warp 4 cta 2") == place(0, {}, 2, 4));
  CHECK(at(" @ sys, gpu 2") == place(2, {}, {}));
  CHECK(at(" @ host").host);
}

TEST_CASE("a full tree") {
  const auto p = tree("(system (gpu (cluster (cta (warp P0 P1) (warp P2)))) (gpu (cta P3)))");
  CHECK(p[0] == place(0, 0, 0, 0));
  CHECK(p[1] == place(0, 0, 0, 0));
  CHECK(p[2] == place(0, 0, 0, 1));
  CHECK(p[3] == place(1, {}, 0));
}

TEST_CASE("a level left out is one instance per child") {
  auto p = tree("(system (gpu (cta P0 P1) (cta P2)) (cta P3))");
  CHECK(p[0] == place(0, {}, 0));
  CHECK(p[2] == place(0, {}, 1));
  CHECK(p[3] == place(1, {}, 0));  // a gpu of its own
  p = tree("(system P0 P1 (gpu P2 P3))");
  CHECK(p[0] == place(0, {}, {}));
  CHECK(p[1] == place(1, {}, {}));
  CHECK(p[2] == place(2, {}, {}));
  CHECK(p[3] == place(2, {}, {}));
  p = tree("(gpu (cluster P0 P1) (warp P2 P3))");
  CHECK(p[0] == place(0, 0, {}));
  CHECK(p[2] == place(0, {}, 0, 0));  // both threads of the warp in one fresh cta
  CHECK(p[3] == place(0, {}, 0, 0));
  p = tree("(cta P0 P1 P2 P3)");
  CHECK(p[3] == place(0, {}, 0));
  p = tree("(sys (gpu P0 P1 P2) (host P3))");
  CHECK(p[3].host);
}

TEST_CASE("trees that are refused") {
  CHECK_FALSE(refused("(gpu P0 P1 P2 P3)"));
  CHECK(refused("(gpu P0 P1 P2)"));
  CHECK(refused("(gpu P0 P1 P2 P3 P3)"));
  CHECK(refused("(gpu P0 P1 P2 P3 P4)"));
  CHECK(refused("(cta (gpu P0 P1 P2 P3))"));
  CHECK(refused("(gpu P0 P1 P2 P3"));
  CHECK(refused("(grid P0 P1 P2 P3)"));
  CHECK_NE(errors_of("PTX t\n{}\nP0 @ gpu 0 ;\nscopes: (gpu P0)\nexists true\n"), "");
}

TEST_CASE("herd's older ScopeTree, with or without where variables are") {
  const Test t = parse_text(
      "PTX t\n{x=0;}\nP0 | P1 | P2 ;\nScopeTree(grid (cta (warp P0) (warp P1)) (cta (warp P2)))\n"
      "x: shared, y: global\nexists true\n");
  CHECK(t.threads[0].placement.cta == t.threads[1].placement.cta);
  CHECK(t.threads[0].placement.cta != t.threads[2].placement.cta);
  CHECK(t.threads[0].placement.warp != t.threads[1].placement.warp);
  CHECK(t.variables[0].space == isa::Space::shared);
  CHECK(parse_text("PTX t\n{}\nP0 | P1 ;\nScopeTree (device (cta P0 P1))\nexists true\n").threads.size() ==
        2);
  CHECK_NE(errors_of("PTX t\n{}\nP0 | P1 ;\nScopeTree (grid (cta P0))\nexists true\n"), "");
}

TEST_CASE("a line that begins with # is a comment") {
  const Test t = parse_text(
      "# what it is\nPTX t\n# the state\n{x=0;\n # and\n y=1;}\nP0 ;\n# the code\nst x, 1 ;\nexists (x=1)\n# "
      "the end\n");
  CHECK(t.name == "t");
  CHECK(t.threads[0].code().size() == 1);
  CHECK_NE(errors_of("PTX t\n{x=0;}\nP0 ;\nst x, 1 # no ;\nexists (x=1)\n"), "");
}

TEST_CASE("regions") {
  const Test t =
      parse_text("PTX t\n{x=0;}\nP0 ;\nscopes: (gpu P0)\nregions: x:shared, y:global\nexists true\n");
  CHECK(t.variables[0].space == isa::Space::shared);
  CHECK(t.variables[1].space == isa::Space::global);
  CHECK_NE(errors_of("PTX t\n{.global .u32 x;}\nP0 ;\nregions: x:shared\n"), "");
}

TEST_CASE("heads that are refused") {
  const auto head = [](const std::string& text) { return !errors_of("PTX t\n{}\n" + text + "\n").empty(); };
  CHECK_FALSE(head("P0 | P1 ;"));
  CHECK(head("P0 | P0 ;"));
  CHECK(head("P0 @ gpu ;"));
  CHECK(head("P0 @ gpu 0, gpu 1 ;"));
  CHECK(head("P0 @ host, cta 0 ;"));
  CHECK(head("P0 @ grid 0 ;"));
  CHECK_FALSE(head("P0 @ warp 0, lane 31 ;"));
  CHECK(head("P0 @ warp 0, lane 32 ;"));
  CHECK(head("P0 @ host, lane 0 ;"));
  CHECK(head("P0 {} P0 {}"));
  CHECK(head("Q ;"));
  CHECK(head(""));
}

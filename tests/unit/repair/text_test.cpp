// SPDX-License-Identifier: Apache-2.0
#include "repair/text.h"

#include <doctest/doctest.h>

#include <memory>

#include "input/litmus/parse.h"
#include "repair/change.h"
#include "repair/costs.h"
#include "repair/order.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::repair;
using isa::Scope;
using isa::Semantics;

namespace {

litmus::Test parsed(const std::string& text) {
  return litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
}

const std::string kBlocks =
    "PTX t\n{\n  .global .u32 x = 0;\n  .global .u32 y = 0;\n}\n"
    "P0 @ cta 0 {\n  st.global.cg.u32 [x], 1;\nL: ld.relaxed.gpu.global.u32 %r1, [y]; fence.sc.gpu;\n}\n"
    "exists (P0:%r1 == 0)\n";
const std::string kColumns =
    "PTX t\n{\n x = 0; y = 0;\n}\n"
    " P0 @ cta 0         | P1 @ cta 1          ;\n"
    " st.weak x, 1       | ld.acquire.gpu r0, y ;\n"
    " st.release.gpu y, 1 | ld.weak r1, x       ;\n"
    "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

std::string respelt_as(std::string_view mnemonic, Semantics semantics, Scope scope) {
  const auto spelt = respelt(mnemonic, semantics, scope, isa::Notation::any);
  return spelt ? spelt->mnemonic : "";
}

}  // namespace

TEST_CASE("a layout finds instructions, and what is put in, replaced or left out is a test again") {
  const litmus::Test test = parsed(kBlocks);
  const Layout layout(test);
  CHECK_FALSE(layout.columns());
  REQUIRE(layout.size(0) == 3);
  CHECK(layout.mnemonic(0, 0) == "st.global.cg.u32");
  CHECK(layout.mnemonic(0, 2) == "fence.sc.gpu");
  const std::string behind = edited(layout.text(), {layout.insert_behind(0, 0, {"fence.acq_rel.gpu"})});
  CHECK(behind.find("[x], 1;\n  fence.acq_rel.gpu;\nL: ld") != std::string::npos);
  CHECK(parsed(behind).threads[0].code().size() == 4);
  CHECK(
      parsed(edited(layout.text(), {layout.insert_behind(0, -1, {"membar.gl"})})).threads[0].code()[0].text ==
      "membar.gl");
  const litmus::Test before = parsed(edited(layout.text(), {layout.insert_before(0, 1, {"membar.gl"})}));
  CHECK(before.threads[0].code()[1].labels == std::vector<std::string>{"L"});
  CHECK(parsed(edited(layout.text(), {layout.remove(0, 2)})).threads[0].code().size() == 2);
}

TEST_CASE("columns: a row of its own, and an empty cell") {
  const litmus::Test test = parsed(kColumns);
  const Layout layout(test);
  CHECK(layout.columns());
  const litmus::Test more = parsed(edited(layout.text(), {layout.insert_behind(1, 0, {"fence.sc.gpu"})}));
  CHECK(more.threads[0].code().size() == 2);
  REQUIRE(more.threads[1].code().size() == 3);
  CHECK(more.threads[1].code()[1].text == "fence.sc.gpu");
  CHECK(parsed(edited(layout.text(), {layout.insert_behind(0, -1, {"fence.sc.gpu"})}))
            .threads[0]
            .code()[0]
            .text == "fence.sc.gpu");
  CHECK(parsed(edited(layout.text(), {layout.remove(0, 0)})).threads[0].code().size() == 1);
}

TEST_CASE("diffs are unified, with three lines of context") {
  CHECK(unified_diff("f", "repaired", "a\nb\n", "a\nb\n").empty());
  CHECK(unified_diff("f", "repaired", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nsix\n") ==
        "--- f\n+++ f (repaired)\n@@ -3,4 +3,4 @@\n 3\n 4\n 5\n-6\n+six\n");
  const std::string far = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
  CHECK(unified_diff("f", "now", far, "0\n" + far + "11\n") ==
        "--- f\n+++ f (now)\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -8,3 +9,4 @@\n 8\n 9\n 10\n+11\n");
}

TEST_CASE("mnemonics with another order and scope, where the form has them") {
  CHECK(respelt_as("st.global.cg.u32", Semantics::release, Scope::gpu) == "st.release.gpu.global.u32");
  CHECK(respelt_as("ld.global.nc.u32", Semantics::weak, Scope::none) == "ld.global.u32");
  CHECK(respelt_as("ld.volatile.global.u32", Semantics::relaxed, Scope::gpu) == "ld.relaxed.gpu.global.u32");
  CHECK(respelt_as("membar.gl", Semantics::release, Scope::cta) == "fence.release.cta");
  CHECK(respelt_as("mbarrier.try_wait.parity.shared::cta.b64", Semantics::acquire, Scope::cluster) ==
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64");
  CHECK(respelt_as("barrier.cluster.arrive.relaxed.aligned", Semantics::release, Scope::cluster) ==
        "barrier.cluster.arrive.release.aligned");
  CHECK(respelt_as("st.global.u32", Semantics::acquire, Scope::gpu).empty());
  CHECK(respelt_as("mov.u32", Semantics::relaxed, Scope::gpu).empty());
  CHECK(at_most(Semantics::acquire, Semantics::acq_rel));
  CHECK_FALSE(at_most(Semantics::acquire, Semantics::release));
}

TEST_CASE("a table of costs: the longest row that fits, and clear errors") {
  const auto table = [](const std::string& text) {
    return Costs(std::make_shared<const Source>(Source{"costs.txt", text}));
  };
  const Costs costs = table("source: a GPU\n# nothing\nld 10\nld.acquire.gpu 300 # why\nld.acquire 200\n");
  CHECK(costs.source() == "a GPU");
  CHECK(costs.of("ld.acquire.gpu.global.u32") == 300.0);
  CHECK(costs.of("ld.acquire.sys.global.u32") == 200.0);
  CHECK(costs.of("ld.global.u32") == 10.0);
  CHECK_FALSE(costs.of("st.global.u32"));
  CHECK_THROWS_AS(table("ld\n"), InputError);
  CHECK_THROWS_AS(table("ld -3\n"), InputError);
  CHECK_THROWS_AS(table("ld nan\n"), InputError);
  CHECK_THROWS_AS(table("ld 1\nld 2\n"), InputError);
}

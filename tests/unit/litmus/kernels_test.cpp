// SPDX-License-Identifier: Apache-2.0
// The section `kernels { ... }`: what it says, and that it is printed so that it is read again.
#include "helpers.h"
#include "input/litmus/compare.h"
#include "input/litmus/print.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;

namespace {

const std::string kText =
    "PTX t\n{ x=0; }\nkernels {\n  K0: P0 P1, stream S0;\n  K1: P2, programmatic stream S0, after K0;\n"
    "  A: P3, programmatic after B;\n  B: P4;\n  graph G: A B;\n  cudaGraphLaunch G, S1;\n"
    "  cudaEventRecord E, S1;\n  cudaStreamWaitEvent cudaStreamLegacy, E;\n}\n"
    " P0 | P1 | P2 | P3 | P4 | P5 @ host ;\n"
    " st.weak x, 1 | | griddepcontrol.wait | griddepcontrol.launch_dependents | | cudaStreamQuery r0, S0 ;\n"
    " | | | | | cudaDeviceSynchronize 1 ;\n | | | | | cudaDeviceSynchronize ;\n"
    "exists (x=1)\n";

}  // namespace

TEST_CASE("the section") {
  const Test test = parse_text(kText);
  const Kernels& k = test.kernels;
  CHECK(k.stated);
  REQUIRE(k.kernels.size() == 4);
  CHECK(k.kernels[0].threads == std::vector<int>{0, 1});
  CHECK(k.kernels[1].after == std::vector<std::string>{"K0"});
  CHECK(k.kernels[2].programmatic == std::vector<std::string>{"B"});
  REQUIRE(k.graphs.size() == 1);
  CHECK(k.graphs[0].kernels == std::vector<std::string>{"A", "B"});
  REQUIRE(k.calls.size() == 5);
  CHECK(k.calls[0].modifiers.api == isa::ApiCall::launch_kernel);
  CHECK(!k.calls[0].modifiers.programmatic);
  CHECK(k.calls[1].modifiers.programmatic);
  CHECK(k.calls[2].modifiers.api == isa::ApiCall::graph_launch);
  CHECK(std::get<ObjectName>(k.calls[4].operands[0].value).name == "cudaStreamLegacy");
  CHECK(test.threads[5].code()[0].modifiers.api == isa::ApiCall::stream_query);
  CHECK(std::get<Register>(test.threads[5].code()[0].operands[0].value).name == "r0");
  CHECK(std::get<Integer>(test.threads[5].code()[1].operands[0].value).value == 1);
  CHECK(test.threads[5].code()[2].operands.empty());
}

TEST_CASE("kernels round-trip") {
  const Test test = parse_text(kText);
  const std::string printed = print(test);
  INFO(printed);
  CHECK_EQ(difference(test, parse_text(printed)), "");
  CHECK(printed.find("kernels {\n  K0: P0 P1;\n  K1: P2, after K0;\n  A: P3, programmatic after B;\n") !=
        std::string::npos);
}

TEST_CASE("difference() sees kernels") {
  const std::string head = "PTX t\n{ x=0; }\n", tail = " P0 | P1 ;\n st.weak x, 1 | ;\n";
  const auto with = [&](const std::string& section) { return parse_text(head + section + tail); };
  const Test base = with("kernels { A: P0; B: P1; }");
  CHECK(!parse_text(head + tail).kernels.stated);
  CHECK_EQ(difference(base, with("")), "kernels");
  CHECK_EQ(difference(base, with("kernels { A: P0 P1; }")), "number of kernels: 2 and 1");
  CHECK_EQ(difference(base, with("kernels { A: P0; B: P1, after A; }")), "kernels[1]");
  CHECK_EQ(difference(base, with("kernels { A: P0; B: P1; graph G: A; }")), "number of graphs: 0 and 1");
  CHECK_EQ(difference(base, with("kernels { A: P0; B: P1, stream S; }")), "number of calls: 0 and 1");
}

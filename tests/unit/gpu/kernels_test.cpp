// SPDX-License-Identifier: Apache-2.0
// Tests with several kernels: what the host calls, in what order, and the module's entries.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/harness/kernels_harness.h"
#include "gpu/host/program.h"
#include "gpu/text/facts.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

using Lines = std::vector<std::string>;
using Kernels = std::vector<std::vector<std::uint32_t>>;

program::Program parsed(const std::string& kernels, const std::string& threads,
                        const std::string& declarations = "") {
  return litmus::parse(std::make_shared<Source>(
      Source{"test.litmus", "PTX t\n{ .global .u32 x = 0; " + declarations + " }\nkernels { " + kernels +
                                " }\n" + threads + "\nexists (x == 1)\n"}));
}

std::string stores(int threads) {
  std::string text;
  for (int i = 0; i < threads; ++i)
    text += "P" + std::to_string(i) + " @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; }\n";
  return text;
}

Lines calls(const std::string& kernels, int threads) {
  const program::Program test = parsed(kernels, stores(threads));
  const Facts facts(test);
  return print(plan_host(facts), test);
}

KernelsHarness written(const program::Program& test, HarnessOptions options = {}) {
  const Observation observation(test);
  return write_kernels_harness(test, observation, options);
}

std::string refused(const program::Program& test) {
  try {
    written(test);
  } catch (const CannotRun& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("kernels of streams, in the order of the text, on non-blocking streams") {
  CHECK_EQ(
      calls("K1: P1, stream S; K0: P0, stream S;", 2),
      Lines{"cuStreamCreate S, CU_STREAM_NON_BLOCKING", "cuLaunchKernelEx K1, S", "cuLaunchKernelEx K0, S"});
  CHECK_EQ(calls("K0: P0, stream S; K1: P1, programmatic stream S;", 2),
           Lines{"cuStreamCreate S, CU_STREAM_NON_BLOCKING", "cuLaunchKernelEx K0, S",
                 "cuLaunchKernelEx K1, S, programmatic"});
}

TEST_CASE("events") {
  CHECK_EQ(calls("K0: P0, stream S; cudaEventRecord E, S; cudaStreamWaitEvent T, E; K1: P1, stream T;", 2),
           Lines{"cuStreamCreate S, CU_STREAM_NON_BLOCKING", "cuStreamCreate T, CU_STREAM_NON_BLOCKING",
                 "cuLaunchKernelEx K0, S", "cuEventRecord E, S", "cuStreamWaitEvent T, E",
                 "cuLaunchKernelEx K1, T"});
}

TEST_CASE("what nobody launches has a stream of its own") {
  CHECK_EQ(calls("K0: P0; K1: P1;", 2),
           Lines{"cuStreamCreate ptxmc_stream_of_K0, CU_STREAM_NON_BLOCKING",
                 "cuStreamCreate ptxmc_stream_of_K1, CU_STREAM_NON_BLOCKING",
                 "cuLaunchKernelEx K0, ptxmc_stream_of_K0", "cuLaunchKernelEx K1, ptxmc_stream_of_K1"});
}

TEST_CASE("the legacy stream waits for blocking streams") {
  CHECK_EQ(calls("K0: P0, stream S; K1: P1, stream cudaStreamLegacy;", 2),
           Lines{"cuStreamCreate S, CU_STREAM_DEFAULT", "cuLaunchKernelEx K0, S",
                 "cuLaunchKernelEx K1, cudaStreamLegacy"});
}

TEST_CASE("graphs: stated ones, and kernels that edges connect") {
  CHECK_EQ(calls("A: P0; B: P1; graph G: A B; K: P2, stream S; cudaGraphLaunch G, S;", 3),
           Lines{"cuGraphCreate G: A B", "cuStreamCreate S, CU_STREAM_NON_BLOCKING", "cuLaunchKernelEx K, S",
                 "cuGraphLaunch G, S"});
  CHECK_EQ(
      calls("A: P0; B: P1, after A; C: P2, programmatic after A; D: P3;", 4),
      Lines{"cuGraphCreate ptxmc_graph_of_A: A B C; A->B, A->C programmatic",
            "cuStreamCreate ptxmc_stream_of_A, CU_STREAM_NON_BLOCKING",
            "cuStreamCreate ptxmc_stream_of_D, CU_STREAM_NON_BLOCKING",
            "cuGraphLaunch ptxmc_graph_of_A, ptxmc_stream_of_A", "cuLaunchKernelEx D, ptxmc_stream_of_D"});
}

TEST_CASE("calls of a host thread come behind those of the section; host functions are tasks of streams") {
  const program::Program test =
      parsed("K: P1; F: P2; cudaEventRecord E, S; cudaLaunchHostFunc S, F;",
             "P0 @ host { cudaLaunchKernel K, S; cudaStreamSynchronize S; Q: cudaEventQuery %r0, E; "
             "bne %r0, 0, Q; cudaDeviceSynchronize; }\nP1 @ cta 0 { exit; }\nP2 @ host { exit; }\n");
  const Facts facts(test);
  CHECK_EQ(print(plan_host(facts), test),
           Lines{"cuStreamCreate S, CU_STREAM_NON_BLOCKING", "cuEventRecord E, S", "cuLaunchHostFunc S, F",
                 "P0: cuLaunchKernelEx K, S", "P0: cuStreamSynchronize S", "P0: cuEventQuery E",
                 "P0: cuCtxSynchronize"});
  const KernelsHarness h = written(test);
  REQUIRE_EQ(h.hosts.size(), 2);
  CHECK_FALSE(h.hosts[0].function);
  CHECK_EQ(h.hosts[1].function, 1);
  CHECK(h.kernels[1].name.empty());
}

TEST_CASE("kernels wait for the start of those that nothing orders") {
  const auto planned = [](const std::string& kernels, const std::string& threads) {
    const program::Program test = parsed(kernels, threads);
    const Facts facts(test);
    return plan_host(facts);
  };
  CHECK_EQ(planned("K0: P0, stream S; K1: P1, stream T;", stores(2)).beside, Kernels{{1}, {0}});
  CHECK_EQ(planned("K0: P0, stream S; K1: P1, stream S; K2: P2, stream T;", stores(3)).beside,
           Kernels{{2}, {2}, {0, 1}});
  const std::string events =
      "K0: P0, stream S; cudaEventRecord E, S; cudaStreamWaitEvent T, E; K1: P1, stream T;";
  CHECK_EQ(planned(events, stores(2)).beside, Kernels{{}, {}});
  CHECK_EQ(planned("A: P0; B: P1, after A; C: P2, after A; D: P3, after B C;", stores(4)).beside,
           Kernels{{}, {2}, {1}, {}});
  const std::string programmatic = "K0: P0, stream S; K1: P1, programmatic stream S;";
  CHECK_EQ(planned(programmatic, stores(2)).beside_early, Kernels{{}, {}});
  const std::string triggers = "P0 @ cta 0 { griddepcontrol.launch_dependents; }\nP1 @ cta 0 { exit; }";
  CHECK_EQ(planned(programmatic, triggers).beside, Kernels{{}, {}});
  CHECK_EQ(planned(programmatic, triggers).beside_early, Kernels{{1}, {0}});
}

TEST_CASE("an entry for each kernel, and one that evaluates") {
  const std::string store = " { st.relaxed.gpu.global.u32 [x], 1; }\n";
  const KernelsHarness h =
      written(parsed("K0: P0 P1, stream S; K1: P2, stream T;",
                     "P0 @ cta 0" + store + "P1 @ cta 1" + store + "P2 @ cta 0" + store));
  REQUIRE_EQ(h.kernels.size(), 2);
  CHECK_EQ(h.kernels[0].parts, 2);
  CHECK_EQ(h.kernels[0].threads, 256);
  CHECK_EQ(h.kernels[1].threads, 128);
  CHECK_EQ(h.instances, 128);
  CHECK_EQ(h.least_blocks(), 2);
  CHECK_EQ(h.memory_bytes(100), 1ULL * 100 * 128 * 16);
  CHECK_EQ(h.evaluation_ctas(100), 50);
  CHECK_EQ(h.state_bytes(), 24);
  CHECK(has(h.ptx, ".visible .entry ptxmc_kernel0("));
  CHECK(has(h.ptx, ".visible .entry ptxmc_kernel1("));
  CHECK(has(h.ptx, ".visible .entry ptxmc_evaluation("));
  CHECK(has(h.ptx, "//   cuLaunchKernelEx K1, T\n"));
}

TEST_CASE("all kernels have the instances that the one with least room takes") {
  std::string many = "K0: P0, stream S; K1:", threads = stores(13);
  for (int i = 1; i <= 12; ++i) many += " P" + std::to_string(i);
  const KernelsHarness h = written(parsed(many + ", stream T;", threads));
  CHECK_EQ(h.instances, 64);
  CHECK_EQ(h.kernels[0].threads, 64);
  CHECK_EQ(h.kernels[1].threads, 768);
  const KernelsHarness wide =
      written(parsed("K0: P0, stream S; K1: P1, stream S;", stores(1) + "P1 @ cta 0 { bar.sync 0; }\n"));
  CHECK_EQ(wide.instances, 1);
  CHECK_EQ(wide.kernels[0].threads, 32);
}

TEST_CASE("memory of several names: the same parameters in each entry") {
  const KernelsHarness h = written(parsed("K0: P0, stream S; K1: P1, stream S;", stores(2), "y aliases x;"));
  CHECK_EQ(h.layout.mappings, 2);
  CHECK_EQ(h.layout.instances, h.instances);
  std::size_t entries = 0;
  for (std::size_t at = 0; (at = h.ptx.find(".param .u64 ptxmc_span", at)) != std::string::npos; ++at)
    ++entries;
  CHECK_EQ(entries, 3);
}

TEST_CASE("kernels that cannot run say why") {
  CHECK(has(refused(parsed("K: P2;",
                           "P0 @ host { cudaLaunchKernel K, S; }\nP1 @ host { exit; }\n"
                           "P2 @ cta 0 { exit; }\n")),
            "a second host thread"));
  CHECK(has(refused(parsed("K: P1;", "P0 @ host { cudaDeviceSynchronize 1; }\nP1 @ cta 0 { exit; }\n")),
            "another GPU than its kernels'"));
  const std::string store = " { st.relaxed.sys.global.u32 [x], 1; }\n";
  CHECK(has(refused(parsed("K: P0; L: P1;", "P0 @ gpu 0, cta 0" + store + "P1 @ gpu 1, cta 0" + store)),
            "several GPUs"));
  CHECK(has(refused(parsed("K: P0, stream S; L: P1, after K;", stores(2))),
            "in a stream and at an edge of a graph"));
  const std::string shared = "P0 @ cta 0 { st.shared.u32 [x], 1; }\n";
  const program::Program gone = litmus::parse(std::make_shared<Source>(Source{
      "test.litmus", "PTX t\n{ .shared .u32 x; }\nkernels { K: P0; }\n" + shared + "exists (x == 1)\n"}));
  CHECK(has(refused(gone), "gone when its kernel has ended"));
  CHECK(has(refused(parsed("K: P1;", "P0 @ host { exit; }\nP1 @ cta 0 { exit; }\n", "y aliases x;")),
            "a host thread beside memory of several names"));
}

// SPDX-License-Identifier: Apache-2.0
// Tests with several kernels on a driver that only pretends: which calls the host makes, in what order.
#include <doctest/doctest.h>

#include <string>

#include "program.h"

using namespace ptxmc::testing;

namespace {

// Streams: 1 is the legacy one, 2 the evaluation's. Events: 1 is the evaluation's, then, for each stream of
// the test in turn, the one of its end, then the test's own.
constexpr const char* kEvaluation = "cuLaunchKernelEx ptxmc_evaluation 2\ncuEventRecord 1 2\n";

struct Traced {
  Ran ran;
  std::string calls;
};

/// One launch of four rounds, of 128 instances for each of a few blocks.
Traced traced(const std::string& kernels, const std::string& threads) {
  const Folder folder;
  const std::string test = folder.file("test.litmus", "PTX T\n{ .global .u32 x = 0; }\nkernels { " + kernels +
                                                          " }\n" + threads + "exists (x == 1)\n");
  Traced out;
  out.ran = run_program(folder, {"run", "--size", "1", "--format", "json", test},
                        {{"PTXMC_FAKE_CALLS", folder.at("calls")}});
  out.calls = folder.text("calls");
  return out;
}

std::string store(int thread) {
  return "P" + std::to_string(thread) + " @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; }\n";
}

}  // namespace

TEST_CASE("a stream: each round waits for the evaluation of the one before, and is evaluated") {
  const Traced t = traced("K0: P0, stream S; K1: P1, programmatic stream S;", store(0) + store(1));
  CHECK(t.ran.status == 0);
  CHECK(t.ran.err == "");
  const std::string round =
      "cuStreamWaitEvent 3 1\ncuLaunchKernelEx ptxmc_kernel0 3\ncuLaunchKernelEx ptxmc_kernel1 3 "
      "programmatic\n"
      "cuEventRecord 2 3\ncuStreamWaitEvent 2 2\n";
  CHECK(t.calls.starts_with("cuStreamCreate 2 non-blocking\ncuStreamCreate 3 non-blocking\n"));
  CHECK(count(t.calls, round + kEvaluation) == 4);
  CHECK(count(t.calls, kEvaluation) == 5);  // the first only resets
  CHECK(has(t.ran.out, "\"instances\":2048,"));
}

TEST_CASE("stress is for one kernel on one GPU, and who asks for more is told") {
  const Folder folder;
  folder.file("K.litmus", "PTX K\n{ .global .u32 x = 0; }\nkernels { K0: P0; K1: P1; }\n" + store(0) +
                              store(1) + "exists (x == 0)\n");
  const Ran ran = run_program(folder, {"run", "--size", "1", "--stress", "pre=50", "K.litmus"});
  CHECK(ran.status == 0);
  CHECK(ran.err == "K.litmus: without --stress, which is for tests of one kernel on one GPU\n");
  CHECK(has(ran.out, "--stress off"));
}

TEST_CASE("two streams and an event between them") {
  const Traced t =
      traced("K0: P0, stream S; cudaEventRecord E, S; cudaStreamWaitEvent T, E; K1: P1, stream T;",
             store(0) + store(1));
  CHECK(t.ran.status == 0);
  CHECK(has(t.calls,
            "cuStreamWaitEvent 3 1\ncuStreamWaitEvent 4 1\ncuLaunchKernelEx ptxmc_kernel0 3\n"
            "cuEventRecord 4 3\ncuStreamWaitEvent 4 4\ncuLaunchKernelEx ptxmc_kernel1 4\n"
            "cuEventRecord 2 3\ncuStreamWaitEvent 2 2\ncuEventRecord 3 4\ncuStreamWaitEvent 2 3\n"));
}

TEST_CASE("a graph with a programmatic edge, and the legacy stream") {
  const Traced graph = traced("K0: P0; K1: P1, programmatic after K0;", store(0) + store(1));
  CHECK(graph.ran.status == 0);
  CHECK(has(graph.calls, "edge of graph 1: 1 to 2 programmatic\n"));
  CHECK(count(graph.calls, "cuGraphLaunch ptxmc_kernel0 ptxmc_kernel1 3\n") == 4);
  const Traced legacy = traced("K0: P0, stream S; K1: P1, stream cudaStreamLegacy;", store(0) + store(1));
  CHECK(has(legacy.calls, "cuStreamCreate 3\n"));
  CHECK(has(legacy.calls, "cuLaunchKernelEx ptxmc_kernel0 3\ncuLaunchKernelEx ptxmc_kernel1 1\n"));
}

TEST_CASE("a host thread makes its calls once a round, and a host function is a task of its stream") {
  const Traced t =
      traced("K: P1; F: P2; cudaLaunchHostFunc S, F;",
             "P0 @ host { st.weak.global.u32 [x], 1; cudaLaunchKernel K, S; cudaStreamSynchronize S; "
             "ld.weak.global.u32 %r0, [x]; }\n" +
                 store(1) + "P2 @ host { st.weak.global.u32 [x], 2; }\n");
  CHECK(t.ran.status == 0);
  CHECK(t.ran.err == "");
  CHECK(count(t.calls,
              "cuLaunchHostFunc 3\ncuLaunchKernelEx ptxmc_kernel0 3\ncuStreamSynchronize 3\ncuEventRecord 2 "
              "3\n") == 4);
}

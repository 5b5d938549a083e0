// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/harness.h"

#include <doctest/doctest.h>

#include <memory>

#include "gpu/text/facts.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

Harness written(const std::string& text, HarnessOptions options = {}) {
  const program::Program test = litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}));
  const Observation observation(test);
  return write_harness(test, observation, options);
}

std::string test_of(const std::string& declarations, const std::string& threads,
                    const std::string& condition = "exists (true)") {
  return "PTX t\n{ .global .u32 x = 0; " + declarations + " }\n" + threads + "\n" + condition + "\n";
}

const std::string kStore = " { st.relaxed.gpu.global.u32 [x], 1; }\n";

}  // namespace

TEST_CASE("threads in CTAs of their own: a part each, a lane an instance") {
  const Harness h = written(test_of("", "P0 @ cta 0" + kStore + "P1 @ cta 1" + kStore));
  CHECK_EQ(h.parts, 2);
  CHECK_EQ(h.cta_threads, 256);
  CHECK_EQ(h.instances, 128);
  CHECK_EQ(h.blocks(264), 264);
  CHECK_EQ(h.reach_of(264), 263);
  CHECK_EQ(h.memory_bytes(264), 2ULL * 1 * 264 * 128 * 16);
  CHECK_EQ(h.least_ctas(), 2);
}

TEST_CASE("distances of three parts stay below the number of blocks") {
  const Harness h =
      written(test_of("", "P0 @ cta 0" + kStore + "P1 @ cta 1" + kStore + "P2 @ cta 2" + kStore));
  CHECK_EQ(h.parts, 3);
  CHECK_EQ(h.reach_of(264), 131);
  CHECK_EQ(h.reach_of(3), 1);
}

TEST_CASE("threads of one CTA, and lanes of one warp") {
  const Harness cta = written(test_of("", "P0 @ cta 0" + kStore + "P1 @ cta 0" + kStore));
  CHECK_EQ(cta.parts, 1);
  CHECK_EQ(cta.cta_threads, 256);
  const Harness warp = written(test_of("", "P0 @ cta 0, warp 0" + kStore + "P1 @ cta 0, warp 0" + kStore));
  CHECK_EQ(warp.parts, 1);
  CHECK_EQ(warp.cta_threads, 256);  // two lanes an instance
}

TEST_CASE("short forms of barriers count the threads of their CTA") {
  const auto barriers = [](const std::string& places, const std::string& code) {
    const std::string ptx = written("PTX t\n{ x=0; }\n" + places + code + "forall (x == 0)\n").ptx;
    std::string out;
    for (std::size_t at = 0; (at = ptx.find("  bar.sync ", at)) != std::string::npos; ++at)
      out += ptx.substr(at + 11, ptx.find(';', at) - at - 10);
    return out;
  };
  const std::string two = " bar.cta.sync 1 | bar.cta.sync 1 ;\n";
  CHECK(barriers(" P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n", two) == "0, 64;0, 64;");
  CHECK(barriers(" P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n", two) == "0, 32;0, 32;");
  CHECK(barriers(" P0 | P1 ;\n", two) == "0, 32;0, 32;");  // CTAs of their own
  const std::string three =
      " bar.cta.sync 1 | bar.cta.sync 1 | bar.cta.sync 1 ;\n"
      "                | bar.cta.sync 2 | bar.cta.sync 2 ;\n";
  CHECK(barriers(" P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 1,gpu 0 ;\n", three) ==
        "0, 32;0, 64;1, 64;0, 64;1, 64;");
}

TEST_CASE("fewer instances where a CTA would get too many threads") {
  std::string threads;
  for (int i = 0; i < 12; ++i) threads += "P" + std::to_string(i) + " @ cta 0" + kStore;
  const Harness h = written(test_of("", threads));
  CHECK_EQ(h.instances, 64);
  CHECK_EQ(h.cta_threads, 12 * 64);
}

TEST_CASE("barriers: whole warps, and a CTA for each part") {
  const std::string barrier = " { bar.sync 0; st.relaxed.gpu.global.u32 [x], 1; }\n";
  const Harness h =
      written(test_of("", "P0 @ cta 0" + barrier + "P1 @ cta 0" + barrier + "P2 @ cta 1" + kStore));
  CHECK(h.dedicated);
  CHECK_EQ(h.instances, 1);
  CHECK_EQ(h.cta_threads, 64);
  CHECK_EQ(h.blocks(264), 132);
  CHECK(h.ptx.find("bar.sync 0, 64;") != std::string::npos);
}

TEST_CASE("loops are bounded") {
  const std::string spin = " { L: ld.relaxed.gpu.global.u32 %r0, [x]; setp.eq.u32 %p, %r0, 0; @%p bra L; }\n";
  const Harness h = written(test_of("", "P0 @ cta 0" + kStore + "P1 @ cta 1" + spin), {128, 32, 77});
  CHECK(h.ptx.find("mov.u32 %hw_fuel, 77;") != std::string::npos);
  CHECK(h.ptx.find("sub.u32 %hw_fuel, %hw_fuel, 1;") != std::string::npos);
}

TEST_CASE("memory that holds addresses stays where it is") {
  const auto moves = [](const Harness& h) {
    return h.ptx.find("mov.u32 %hw_rmix0, 0;") == std::string::npos;
  };
  const std::string threads = "P0 @ cta 0" + kStore + "P1 @ cta 1 { ld.relaxed.gpu.u64 %d, [p]; }\n";
  CHECK(moves(written(test_of(".global .u64 p = 0;", threads))));
  CHECK_FALSE(moves(written(test_of(".global .u64 p = &x;", threads))));
}

TEST_CASE("what cannot run says why") {
  const auto refused = [](const std::string& text, const Hazards& hazards = {}) -> std::string {
    try {
      HarnessOptions options;
      options.hazards = hazards;
      written(text, options);
    } catch (const CannotRun& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refused(test_of("", "P0 @ gpu 0" + kStore + "P1 @ gpu 1" + kStore)).find("several GPUs") !=
        std::string::npos);
  CHECK(refused(test_of("", "P0 @ host { st.relaxed.sys.global.u32 [x], 1; }\nP1 @ cta 0" + kStore))
            .find("host thread") != std::string::npos);
  CHECK(refused(test_of("", "P0 @ cta 0 { bar.sync 15; }\n")).find("barrier 15") != std::string::npos);
  CHECK(refused(test_of("", "P0 @ cta 0" + kStore), {.undefined = Position{2, 1}})
            .find("test.litmus:2:1: error: cannot run on a GPU yet: its behaviour is undefined") !=
        std::string::npos);
  const std::string barrier = test_of("", "P0 @ cta 0 { bar.sync 0; }\n");
  CHECK(refused(barrier, {.hangs = Position{2, 1}}).find("it can wait forever at a barrier") !=
        std::string::npos);
  CHECK(refused(test_of("", "P0 @ cta 0" + kStore), {.hangs = Position{2, 1}}).empty());
  CHECK(refused(test_of("", "P0 @ cta 0" + kStore), {.multicast = Position{2, 1}})
            .find("it needs a multicast object") != std::string::npos);
  const std::string refusal = "needs sm_100 and tensor memory, which the kernel does not allocate";
  CHECK(refused(test_of(".tensor .b32 t[32];", "P0 @ cta 0" + kStore)).find("`t` " + refusal) !=
        std::string::npos);
  CHECK(refused(test_of("", "P0 @ cta 0 { tcgen05.wait::ld.sync.aligned; }"))
            .find("`tcgen05.wait::ld.sync.aligned` " + refusal) != std::string::npos);
}

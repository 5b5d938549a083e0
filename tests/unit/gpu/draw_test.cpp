// SPDX-License-Identifier: Apache-2.0
// What the CPU computes of a round, against the kernel's text.
#include "gpu/host/draw.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>

#include "gpu/harness/system.h"
#include "input/litmus/parse.h"
#include "ptx_arithmetic.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

constexpr std::uint64_t kMemory = 0x7000000000, kSecond = 0x9000000000, kHost = 0x5000000000;

System written(const std::string& text, const HarnessOptions& options = {}) {
  const program::Program test = litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}));
  const Observation observation(test);
  return write_system(test, observation, options);
}

std::string test_of(const std::string& places) {
  std::string out = "PTX t\n{ .global .u32 x = 0; .global .u32 y = 0; }\n";
  out += places;
  return out + "exists (x == 1 /\\ y == 1)\n";
}

std::string thread(int number, const std::string& place, const std::string& variable) {
  return "P" + std::to_string(number) + " @ " + place + " { st.relaxed.sys.global.u32 [" + variable +
         "], 1; st.relaxed.sys.global.u32 [" + (variable == "x" ? "y" : "x") + "], 1; }\n";
}

/// One thread of the kernel, up to where the first thread of the test begins.
struct Thread {
  Thread(const Harness& harness, unsigned blocks, std::uint32_t turn, std::uint32_t seed, unsigned cta,
         unsigned tid)
      : kernel(harness.ptx) {
    kernel.registers = {{"%tid.x", tid},
                        {"%ctaid.x", cta},
                        {"%nctaid.x", blocks},
                        {"[ptxmc_memory]", kMemory},
                        {"[ptxmc_memory1]", kSecond},
                        {"[ptxmc_host]", kHost},
                        {"[ptxmc_blocks]", blocks},
                        {"[ptxmc_rounds]", 1000},
                        {"[ptxmc_seed]", seed},
                        {"[ptxmc_reach]", harness.reach_of(blocks)}};
    const bool begun = kernel.run("", "ptxmc_turn:");
    REQUIRE(begun);
    kernel.registers["%hw_turn"] = turn;
    kernel.registers["%hw_half"] = turn & 1;
    const std::string after = "sub.u32 %hw_round, %hw_turn, 2";
    const std::size_t at = harness.ptx.find(after);
    REQUIRE(at != std::string::npos);
    PtxArithmetic rest("here:\n" + harness.ptx.substr(at));
    rest.registers = kernel.registers;
    plays = rest.run("here", "// P");
    kernel.registers = rest.registers;
  }
  std::uint64_t at(const std::string& name) { return kernel.registers[name]; }

  PtxArithmetic kernel;
  bool plays = false;
};

}  // namespace

TEST_CASE("draws: known answers") {
  CHECK_EQ(draw(1, 0, 8), 906240834U);
  CHECK_EQ(draw(77, 12345, 9), 472029128U);
  CHECK_EQ(below(0xffffffff, 10), 9U);
  CHECK_EQ(below(0x80000000, 10), 5U);
}

TEST_CASE("host threads and kernels agree on where variables lie") {
  const System system = written(test_of(thread(0, "gpu 0", "x") + thread(1, "host", "y")));
  REQUIRE_EQ(system.gpus.size(), 1);
  REQUIRE_EQ(system.hosts.size(), 1);
  const unsigned blocks = 37;
  const MemoryShape shape = system.shape(blocks);
  CHECK_EQ(shape.instances, 1);
  for (const std::uint32_t turn : {2U, 3U, 999U}) {
    for (const unsigned cta : {0U, 5U, 36U}) {
      Thread t(system.front(), blocks, turn, 0xdeadbeef, cta, 0);
      REQUIRE(t.plays);
      const auto block = static_cast<unsigned>(t.at("%hw_rblock"));
      for (unsigned v = 0; v < 2; ++v) {
        const std::uint32_t drawn = draw(0xdeadbeef, turn - 2, kDrawVariable + v);
        CHECK_EQ(t.at(v == 0 ? "%hd_at_x" : "%hd_at_y"),
                 kHost + offset_of(shape, drawn, v, turn & 1, block, 0));
      }
    }
  }
}

TEST_CASE("kernels of two GPUs agree on where variables lie, and each plays every instance once") {
  for (const std::optional<unsigned> home :
       {std::optional<unsigned>(), std::optional<unsigned>(0U), std::optional<unsigned>(1U)}) {
    HarnessOptions options;
    options.instances = 32;
    options.home = home;
    const System system = written(test_of(thread(0, "gpu 0", "x") + thread(1, "gpu 1", "y")), options);
    REQUIRE_EQ(system.gpus.size(), 2);
    const unsigned blocks = 5, turn = 7, seed = 99;
    const MemoryShape shape = system.shape(blocks);
    std::set<std::uint64_t> all[2], homes;
    for (unsigned gpu = 0; gpu < 2; ++gpu) {
      for (unsigned cta = 0; cta < blocks; ++cta) {
        for (unsigned tid = 0; tid < 32; ++tid) {
          Thread t(system.gpus[gpu], blocks, turn, seed, cta, tid);
          REQUIRE(t.plays);
          const auto block = static_cast<unsigned>(t.at("%hw_rblock"));
          const auto index = static_cast<unsigned>(t.at("%hw_rindex"));
          all[gpu].insert(t.at("%hd_at_x"));
          const std::size_t offset =
              offset_of(shape, draw(seed, turn - 2, kDrawVariable), 0, turn & 1, block, index);
          const std::uint64_t from = t.at("%hd_at_x") - offset;
          homes.insert(from);
          CHECK((from == kMemory || from == kSecond));
        }
      }
    }
    CHECK_EQ(all[0].size(), blocks * 32);
    CHECK(all[0] == all[1]);
    CHECK_EQ(homes.size(), home ? 1 : 2);
    if (home) CHECK_EQ(*homes.begin(), *home == 0 ? kMemory : kSecond);
  }
}

TEST_CASE("results: rows behind each other, and two halves") {
  const MemoryShape shape{10, 4, 2, 16, true};
  CHECK_EQ(result_offset(shape, 3, 0, 0, 0, 0), 0U);
  CHECK_EQ(result_offset(shape, 3, 0, 0, 2, 3), 11U * 8);
  CHECK_EQ(result_offset(shape, 3, 1, 2, 0, 1), ((3U + 2) * 40 + 1) * 8);
}

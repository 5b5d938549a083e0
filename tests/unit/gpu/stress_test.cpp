// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/stress.h"

#include <doctest/doctest.h>

#include <memory>

#include "gpu/harness/harness.h"
#include "gpu/run/limit.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_stress(text);
  } catch (const StressError& error) {
    return error.what();
  }
  return "";
}

Harness written(const StressOptions& stress, const std::string& threads) {
  const program::Program test = litmus::parse(std::make_shared<Source>(
      Source{"t.litmus", "PTX t\n{ .global .u32 x = 0; }\n" + threads + "\nexists (x == 1)\n"}));
  const Observation observation(test);
  HarnessOptions options;
  options.stress = stress;
  return write_harness(test, observation, options);
}

const std::string kTwo =
    "P0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; }\nP1 @ cta 1 { st.relaxed.gpu.global.u32 [x], 2; }";
const std::string kDedicated =
    "P0 @ cta 0 { bar.sync 0; st.relaxed.gpu.global.u32 [x], 1; }\nP1 @ cta 0 { bar.sync 0; }\n"
    "P2 @ cta 1 { st.relaxed.gpu.global.u32 [x], 2; }";

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("stress is printed as it is read") {
  CHECK_EQ(parse_stress("off"), StressOptions{});
  CHECK_EQ(print_stress({}), "off");
  const StressOptions stress = parse_stress("assign=chunks,ctas=40,pre-pattern=load-load,line=64");
  CHECK_EQ(stress.ctas, 40);
  CHECK_EQ(stress.line, 64);
  CHECK_EQ(stress.assignment, Assignment::chunks);
  CHECK_EQ(stress.pre_pattern, Pattern::load_load);
  CHECK_EQ(print_stress(stress), "ctas=40,line=64,pre-pattern=load-load,assign=chunks");
  CHECK_EQ(parse_stress(print_stress(stress)), stress);
}

TEST_CASE("every key is read, printed and explained") {
  const std::string help = stress_help();
  for (const StressSetting& setting : stress_settings({})) {
    StressOptions stress;
    set_stress(stress, setting.key, setting.value);
    CHECK_EQ(stress, StressOptions{});
    CHECK_NE(help.find("  " + setting.key + "="), std::string::npos);
    CHECK_NE(refusal(setting.key + "=x").find(setting.key + "=x: expected "), std::string::npos);
  }
  CHECK_EQ(stress_settings({}).size(), 15);
}

TEST_CASE("what is no stress says why") {
  CHECK_EQ(refusal(""), "'': expected KEY=VALUE, or `off` alone");
  CHECK_EQ(refusal("ctas=1,"), "'': expected KEY=VALUE, or `off` alone");
  CHECK_EQ(refusal("ctas=1,ctas=1"), "'ctas' is given twice");
  CHECK_EQ(refusal("ctas=96"), "ctas=96: expected a number from 0 to 95");
  CHECK_EQ(refusal("ctas=-1"), "ctas=-1: expected a number from 0 to 95");
  CHECK_EQ(refusal("ctas= 1"), "ctas= 1: expected a number from 0 to 95");
  CHECK_EQ(refusal("lines=99999999999999999999"),
           "lines=99999999999999999999: expected a number from 1 to 65536");
  CHECK_EQ(refusal("line=48"), "line=48: expected a power of two from 4 to 4096");
  CHECK_EQ(refusal("assign=any"), "assign=any: expected round-robin, chunks");
  CHECK_EQ(refusal("size=1").substr(0, 33), "unknown key 'size': expected ctas");
}

TEST_CASE("what is off leaves no trace in the kernel") {
  const std::string plain = written({}, kTwo).ptx;
  CHECK_EQ(plain.find("scratch"), std::string::npos);
  CHECK_EQ(plain.find("role"), std::string::npos);
  CHECK_EQ(plain.find("laneid"), std::string::npos);
  // Numbers of what is off do not matter, nor does stress without iterations
  CHECK_EQ(written(parse_stress("iterations=3,lines=7,line=64,pattern=load-load,align-limit=9"), kTwo).ptx,
           plain);
  CHECK_EQ(written(parse_stress("ctas=50,iterations=0,pre=50,pre-iterations=0"), kTwo).ptx, plain);
  CHECK_EQ(written(parse_stress("occupancy=50"), kTwo).ptx, plain);
}

TEST_CASE("clusters that stress take places from those that play") {
  const Harness h = written(parse_stress("ctas=25"), kTwo);
  CHECK_EQ(h.blocks(264), 198);
  CHECK_EQ(h.launched(264), 264);
  CHECK_EQ(h.blocks(2), 2);  // too few to stress
  CHECK_EQ(h.blocks(1), 1);
  CHECK_EQ(h.memory_bytes(198), (2ULL * 198 * 128 * 16 + 4095) / 4096 * 4096 + 64 * 1024);
  CHECK_NE(h.ptx.find("bra ptxmc_stress;"), std::string::npos);
  CHECK_NE(h.ptx.find("bra ptxmc_next;"), std::string::npos);
  const Harness dedicated = written(parse_stress("ctas=50"), kDedicated);
  CHECK(dedicated.dedicated);
  CHECK_EQ(dedicated.blocks(264), 66);
  CHECK_EQ(dedicated.launched(264), 264);
  CHECK_EQ(dedicated.blocks(3), 1);
}

TEST_CASE("patterns") {
  const auto accesses = [](const std::string& pattern) {
    const std::string ptx = written(parse_stress("ctas=50,pattern=" + pattern), kTwo).ptx;
    const std::string stress = ptx.substr(ptx.find("\nptxmc_stress:"));
    return std::pair{count(stress, "ld.relaxed.gpu"), count(stress, "st.relaxed.gpu")};
  };
  CHECK_EQ(accesses("store-store"), std::pair<std::size_t, std::size_t>{0, 2});
  CHECK_EQ(accesses("store-load"), std::pair<std::size_t, std::size_t>{1, 1});
  CHECK_EQ(accesses("load-store"), std::pair<std::size_t, std::size_t>{1, 1});
  CHECK_EQ(accesses("load-load"), std::pair<std::size_t, std::size_t>{2, 0});
}

TEST_CASE("threads that wait for each other have a counter for each warp of instances, and a limit") {
  const Harness h = written(parse_stress("align=100,align-limit=77"), kTwo);
  CHECK_EQ(h.counters, 4);
  CHECK_EQ(h.memory_bytes(10), (2ULL * 10 * 128 * 16 + 4095) / 4096 * 4096 + 10 * 4 * 32);
  CHECK_NE(h.ptx.find(", 77;"), std::string::npos);
  CHECK_NE(h.ptx.find("add.u32 %hw_ready, %hw_ready, 2;"), std::string::npos);  // two warps, one of each part
  CHECK_EQ(h.ptx.find("%hp_aligned"), std::string::npos);
  CHECK_NE(written(parse_stress("align=99"), kTwo).ptx.find("%hp_aligned"), std::string::npos);
  const Harness dedicated = written(parse_stress("align=100"), kDedicated);
  CHECK_EQ(dedicated.counters, 1);
  CHECK_NE(dedicated.ptx.find("add.u32 %hw_ready, %hw_ready, 3;"), std::string::npos);
}

TEST_CASE("nothing is drawn where nothing is shuffled or spread") {
  const auto draws = [](const std::string& stress) {
    return count(written(parse_stress(stress), kTwo).ptx, "0x846ca68b");
  };
  const auto zeros = [](const std::string& stress) {
    return count(written(parse_stress(stress), kTwo).ptx, "mov.u32 %hw_t");
  };
  CHECK_EQ(draws("shuffle=50"), draws("off") + 2);  // a chance in the round, and one in its evaluation
  CHECK_EQ(zeros("shuffle=0"), zeros("off") + 3);   // distance, twice, and warps
  CHECK_EQ(zeros("spread=0"), zeros("off") + 2);
}

TEST_CASE("kernels of the device's limit") {
  const std::string both = write_limit_kernel({Traffic::both, 32});
  CHECK_EQ(count(both, "ld.relaxed.gpu.global.u32"), kLimitUnroll / 2);
  CHECK_EQ(count(both, "st.relaxed.gpu.global.u32"), kLimitUnroll / 2);
  CHECK_EQ(count(both, ", 32;"), kLimitUnroll);
  CHECK_EQ(count(write_limit_kernel({Traffic::loads, 4}), "st.relaxed"), 0);
  CHECK_EQ(count(write_limit_kernel({Traffic::stores, 4}), "ld.relaxed"), 0);
}

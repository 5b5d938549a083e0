// SPDX-License-Identifier: Apache-2.0
// Host threads: what their code computes, and what several of them observe of each other.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "gpu/host/machine.h"
#include "gpu/run/host_run.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

/// A test, and its host threads compiled.
struct Compiled {
  explicit Compiled(const std::string& text)
      : test(litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}))),
        observation(test),
        facts(test) {
    for (const program::Thread& thread : test.threads) {
      if (thread.placement.host) codes.push_back(compile_host(facts, thread, observation));
    }
  }
  program::Program test;
  Observation observation;
  Facts facts;
  std::vector<HostCode> codes;
};

constexpr std::size_t kStride = 64;

/// Runs one host thread once; the value of its only result.
std::uint64_t result_of(const std::string& code, const std::string& name = "r",
                        const std::string& variables = ".global .u32 x = 7; .global .u64 y = 0;") {
  const Compiled c("PTX t\n{ " + variables + " }\nP0 @ host { " + code + " }\nexists (0:" + name +
                   " == 0)\n");
  alignas(64) unsigned char memory[4 * kStride] = {};
  const std::uint32_t seven = 7;
  std::memcpy(memory, &seven, sizeof seven);
  HostMachine machine(c.codes.front(), memory, sizeof memory, 100);
  std::vector<unsigned char*> places;
  for (std::size_t v = 0; v < c.codes.front().variables.size(); ++v) places.push_back(memory + v * kStride);
  REQUIRE(machine.run(places) == HostEnd::done);
  REQUIRE_EQ(c.codes.front().results.size(), 1);
  return machine.result(c.codes.front().results.front());
}

HostEnd end_of(const std::string& code, std::size_t bytes = kStride) {
  const Compiled c("PTX t\n{ .global .u32 x = 0; }\nP0 @ host { " + code + " }\nexists (x == 0)\n");
  alignas(64) unsigned char memory[kStride] = {};
  HostMachine machine(c.codes.front(), memory, bytes, 100);
  return machine.run({memory});
}

/// What host threads alone observe of each other.
std::map<Values, std::uint64_t> played(const Compiled& c, std::uint64_t instances) {
  RunOptions options;
  options.instances = instances;
  options.seconds = 5;
  options.batch = 16;
  const Histogram histogram =
      run_hosts(write_hosts(c.test, c.observation, options), c.observation, options, [] { return false; });
  CHECK_GE(histogram.instances, instances);
  CHECK_EQ(histogram.hung, 0);
  return histogram.counts;
}

std::uint64_t total(const std::map<Values, std::uint64_t>& seen) {
  std::uint64_t sum = 0;
  for (const auto& [values, count] : seen) sum += count;
  return sum;
}

const std::string kTwo = "PTX t\n{ .global .u32 x = 0; .global .u32 y = 0; }\n";

}  // namespace

TEST_CASE("host arithmetic is that of the model") {
  CHECK_EQ(result_of("ld.global.u32 %r, [x]; add.u32 %r, %r, 5;"), 12);
  CHECK_EQ(result_of(".reg .u32 %r; mov.u32 %r, 3; sub.u32 %r, %r, 4;"), 0xffffffff);
  CHECK_EQ(result_of(".reg .s32 %a; .reg .s64 %r; mov.s32 %a, -2; cvt.s64.s32 %r, %a;"), 0xfffffffffffffffe);
  CHECK_EQ(result_of(".reg .u32 %a; .reg .u64 %r; mov.u32 %a, -2; mul.wide.u32 %r, %a, 2;"), 0x1fffffffc);
  CHECK_EQ(result_of(".reg .u32 %r; mov.u32 %r, 6; mad.lo.u32 %r, %r, %r, 1;"), 37);
  CHECK_EQ(result_of(".reg .u32 %r; mov.u32 %r, 1; shl.b32 %r, %r, 40;"), 0);
  CHECK_EQ(result_of(".reg .s32 %r; mov.s32 %r, -8; shr.s32 %r, %r, 1;"), 0xfffffffc);
  CHECK_EQ(result_of(".reg .u32 %r; .reg .pred %p; setp.lt.s32 %p, -1, 0; selp.u32 %r, 4, 9, %p;"), 4);
  CHECK_EQ(result_of(".reg .u32 %r; .reg .pred %p, %q; mov.u32 %r, 0; setp.eq.u32 %p|%q, %r, 0; @%q mov.u32 "
                     "%r, 1; @%p add.u32 %r, %r, 2;"),
           2);
  CHECK_EQ(result_of(".reg .u32 %r; .reg .pred %p; mov.u32 %r, 0; L: add.u32 %r, %r, 1; setp.ne.u32 %p, %r, "
                     "10; @%p bra L;"),
           10);
}

TEST_CASE("host accesses: sizes, vectors, atomics, addresses") {
  CHECK_EQ(result_of("atom.relaxed.sys.global.add.u32 %a, [x], 3; ld.relaxed.sys.global.u32 %r, [x];"), 10);
  CHECK_EQ(result_of("atom.relaxed.sys.global.exch.b32 %r, [x], 3;"), 7);
  CHECK_EQ(result_of("atom.acq_rel.sys.global.cas.b32 %a, [x], 7, 9; ld.relaxed.sys.global.u32 %r, [x];"), 9);
  CHECK_EQ(result_of("atom.acq_rel.sys.global.cas.b32 %a, [x], 6, 9; ld.relaxed.sys.global.u32 %r, [x];"), 7);
  CHECK_EQ(result_of("red.release.sys.global.inc.u32 [x], 7; ld.relaxed.sys.global.u32 %r, [x];"), 0);
  CHECK_EQ(result_of("red.relaxed.sys.global.max.s32 [x], -1; ld.relaxed.sys.global.u32 %r, [x];"), 7);
  CHECK_EQ(result_of("st.global.u8 [x+1], 1; ld.global.u32 %r, [x];"), 0x107);
  CHECK_EQ(result_of("st.global.v2.u32 [y], {5, 6}; ld.global.v2.u32 {_, %r}, [y];"), 6);
  CHECK_EQ(result_of("mov.u64 %a, x; st.global.u64 [y], %a; ld.global.u64 %b, [y]; ld.global.u32 %r, [%b];"),
           7);
}

TEST_CASE("host threads end: loops are bounded, and addresses are those of variables") {
  CHECK(end_of("L: ld.relaxed.sys.global.u32 %r, [x]; setp.eq.u32 %p, %r, 0; @%p bra L;") == HostEnd::hung);
  CHECK(end_of("st.relaxed.sys.global.u32 [x], 1;", 4) == HostEnd::done);
  CHECK(end_of("st.relaxed.sys.global.u32 [x], 1;", 3) == HostEnd::fault);
  CHECK(end_of("exit; st.relaxed.sys.global.u32 [x], 1;", 3) == HostEnd::done);
}

TEST_CASE("host threads against each other: what the model forbids is not seen") {
  constexpr std::uint64_t kInstances = 3000;
  const Compiled mp(kTwo +
                    "P0 @ host { st.relaxed.sys.global.u32 [x], 1; st.release.sys.global.u32 [y], 1; }\n"
                    "P1 @ host { ld.acquire.sys.global.u32 %a, [y]; ld.relaxed.sys.global.u32 %b, [x]; }\n"
                    "exists (1:a == 1 /\\ 1:b == 0)\n");
  const auto of_mp = played(mp, kInstances);
  CHECK_GE(total(of_mp), kInstances);
  CHECK_EQ(of_mp.count({1, 0}), 0);
  const Compiled sb(
      kTwo +
      "P0 @ host { st.relaxed.sys.global.u32 [x], 1; fence.sc.sys; ld.relaxed.sys.global.u32 %a, "
      "[y]; }\n"
      "P1 @ host { st.relaxed.sys.global.u32 [y], 1; fence.sc.sys; ld.relaxed.sys.global.u32 %a, "
      "[x]; }\n"
      "exists (0:a == 0 /\\ 1:a == 0)\n");
  const auto of_sb = played(sb, kInstances);
  CHECK_GE(total(of_sb), kInstances);
  CHECK_EQ(of_sb.count({0, 0}), 0);
  const std::string add = " @ host { atom.relaxed.sys.global.add.u32 %a, [x], 1; }\n";
  const Compiled inc(kTwo + "P0" + add + "P1" + add + "exists (x == 1)\n");
  const auto of_inc = played(inc, kInstances);
  CHECK_EQ(of_inc.size(), 1);
  CHECK_EQ(of_inc.begin()->first, Values{2});
}

TEST_CASE("outcomes of host threads: signed values in fields") {
  const auto text = [](const std::string& stored) {
    return "PTX t\n{ .global .s32 x = 0; }\nP0 @ host { st.relaxed.sys.global.s32 [x], " + stored +
           "; ld.relaxed.sys.global.s32 %a, [x]; mov.s32 %b, 1; mov.s32 %c, 2; }\n"
           "exists (0:a == 0 /\\ 0:b == 1 /\\ 0:c == 2 /\\ x == 0)\n";
  };
  const Compiled c(text("-1"));
  const auto seen = played(c, 100);
  REQUIRE_EQ(seen.size(), 1);
  CHECK_EQ(c.observation.print(seen.begin()->first), "0:a=-1; 0:b=1; 0:c=2; [x]=-1;");
  CHECK(played(Compiled(text("40000")), 100).empty());  // four names have 16 bits each
}

TEST_CASE("a meeting is stopped") {
  std::vector<std::uint64_t> lines(Meeting::bytes(2) / 8);
  const Meeting meeting(reinterpret_cast<unsigned char*>(lines.data()), 2);
  bool met = true;
  std::thread other([&] { met = meeting.meet(0, 1); });
  meeting.stop();
  other.join();
  CHECK_FALSE(met);
  meeting.clear();
  std::thread again([&] { met = meeting.meet(0, 1); });
  CHECK(meeting.meet(1, 1));
  again.join();
  CHECK(met);
}

TEST_CASE("what a host thread cannot do says why") {
  const auto refused = [](const std::string& code,
                          const std::string& variables = ".global .u32 x = 0;") -> std::string {
    try {
      Compiled("PTX t\n{ " + variables + " }\nP0 @ host { " + code + " }\nexists (true)\n");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refused("ld.relaxed.sys.global.b128 %a, [x];", ".global .b128 x = 0;")
            .find("not among what the harness does") != std::string::npos);
  CHECK(refused("st.relaxed.sys.global.u32 [x], 1;").empty());
}

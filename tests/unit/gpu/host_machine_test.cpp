// SPDX-License-Identifier: Apache-2.0
// Host threads: what their code computes, and what several of them observe of each other.
#include "gpu/host_machine.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "gpu/host_actor.h"
#include "litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

/// A test, and its host threads compiled.
struct Compiled {
  explicit Compiled(const std::string& text)
      : test(litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}))),
        observation(test),
        facts(test) {
    for (const litmus::Thread& thread : test.threads) {
      if (thread.placement.host) codes.push_back(compile_host(facts, thread, observation));
    }
  }
  litmus::Test test;
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

/// Host threads that play against each other, and one more actor that evaluates and resets as a kernel does:
/// in turn t round t - 3, then the half of its memory is ready for round t - 1.
std::map<Values, std::uint64_t> played(const Compiled& c, std::uint32_t rounds) {
  const unsigned hosts = static_cast<unsigned>(c.codes.size());
  const unsigned variables = static_cast<unsigned>(c.codes.front().variables.size());
  const unsigned names = static_cast<unsigned>(c.observation.names().size());
  const MemoryShape shape{16, 1, variables, 64, true};
  std::vector<std::uint64_t> memory(std::size_t{2} * variables * 16 * 64 / 8);
  std::vector<std::uint64_t> results(std::size_t{2} * (names + 1) * 16);
  std::vector<std::uint64_t> lines(Meeting::bytes(hosts + 1) / 8 + 16);
  const Meeting meeting(reinterpret_cast<unsigned char*>(lines.data()), hosts + 1);
  const HostStage stage{shape,
                        reinterpret_cast<unsigned char*>(memory.data()),
                        memory.size() * 8,
                        reinterpret_cast<unsigned char*>(results.data()),
                        names + 1,
                        rounds,
                        5};
  std::vector<std::uint32_t> places;
  for (unsigned v = 0; v < variables; ++v) places.push_back(v);
  std::vector<std::thread> threads;
  std::vector<HostReport> reports(hosts);
  for (unsigned h = 0; h < hosts; ++h)
    threads.emplace_back(
        [&, h] { reports[h] = HostActor(c.codes[h], places, h, 1000).play(stage, meeting); });
  std::map<Values, std::uint64_t> seen;
  for (std::uint32_t turn = 1; turn <= rounds + 2; ++turn) {
    REQUIRE(meeting.meet(hosts, turn));
    const unsigned half = 1 - turn % 2;
    for (unsigned block = 0; block < shape.blocks; ++block) {
      const auto at = [&](unsigned v) {
        return stage.memory + offset_of(shape, draw(5, turn - 3, kDrawVariable + v), v, half, block, 0);
      };
      if (turn >= 3) {
        Values values;
        for (unsigned i = 0; i < names; ++i) {
          const Observed& o = c.observation.names()[i];
          unsigned char* from = stage.results + result_offset(shape, names + 1, half, i, block, 0);
          if (!o.name.thread) {
            const auto& all = c.codes.front().variables;
            from = at(static_cast<unsigned>(std::find(all.begin(), all.end(), o.name.name) - all.begin()));
          }
          std::uint64_t value = 0;
          std::memcpy(&value, from, o.name.thread ? 8 : 4);
          values.push_back(value);
        }
        ++seen[values];
      }
      for (unsigned v = 0; v < variables; ++v) std::memset(at(v), 0, 8);
    }
  }
  for (std::thread& thread : threads) thread.join();
  for (const HostReport& report : reports) {
    CHECK_FALSE(report.fault);
    CHECK_EQ(report.played, std::uint64_t{16} * rounds);
  }
  return seen;
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
  constexpr std::uint32_t kRounds = 300;
  const Compiled mp(kTwo +
                    "P0 @ host { st.relaxed.sys.global.u32 [x], 1; st.release.sys.global.u32 [y], 1; }\n"
                    "P1 @ host { ld.acquire.sys.global.u32 %a, [y]; ld.relaxed.sys.global.u32 %b, [x]; }\n"
                    "exists (1:a == 1 /\\ 1:b == 0)\n");
  const auto of_mp = played(mp, kRounds);
  CHECK_EQ(total(of_mp), std::uint64_t{16} * kRounds);
  CHECK_EQ(of_mp.count({1, 0}), 0);
  const Compiled sb(
      kTwo +
      "P0 @ host { st.relaxed.sys.global.u32 [x], 1; fence.sc.sys; ld.relaxed.sys.global.u32 %a, "
      "[y]; }\n"
      "P1 @ host { st.relaxed.sys.global.u32 [y], 1; fence.sc.sys; ld.relaxed.sys.global.u32 %a, "
      "[x]; }\n"
      "exists (0:a == 0 /\\ 1:a == 0)\n");
  const auto of_sb = played(sb, kRounds);
  CHECK_EQ(total(of_sb), std::uint64_t{16} * kRounds);
  CHECK_EQ(of_sb.count({0, 0}), 0);
  const std::string add = " @ host { atom.relaxed.sys.global.add.u32 %a, [x], 1; }\n";
  const Compiled inc(kTwo + "P0" + add + "P1" + add + "exists (x == 1)\n");
  const auto of_inc = played(inc, kRounds);
  CHECK_EQ(of_inc.size(), 1);
  CHECK_EQ(of_inc.begin()->first, Values{2});
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

// SPDX-License-Identifier: Apache-2.0
// Whose turn it is, as a run is told.
#include <vector>

#include "ran.h"

namespace ptxmc::exec {
namespace {

std::vector<Schedule> all_schedules() {
  std::vector<Schedule> out(4);
  out[1].reversed = true;
  out[2].length = 1;
  out[3].held = {0};
  for (std::uint64_t seed = 1; seed < 8; ++seed) out.emplace_back().seed = seed;
  return out;
}

Ran ran_by(const Schedule& schedule, const std::string& body, const std::string& block,
           const std::string& grid = "1") {
  Options options;
  options.schedule = schedule;
  return Ran(body, block, ".shared .align 4 .b8 s[256];\n", grid, options);
}

TEST_CASE("who comes first is who the schedule says") {
  const std::string body =
      "mov.u32 %r2, %ctaid.x; atom.relaxed.gpu.global.add.u32 %r3, [%rd1+64], 1; mul.wide.u32 %rd4, %r2, 4;\n"
      "add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r3;";
  std::vector<Schedule> schedules = all_schedules();
  CHECK(ran_by(schedules[0], body, "1", "3").out(0) == 0);
  CHECK(ran_by(schedules[1], body, "1", "3").out(0) == 2);
  CHECK(ran_by(schedules[1], body, "1", "3").out(2) == 0);
  CHECK(ran_by(schedules[3], body, "1", "3").out(0) == 2);
  CHECK(ran_by(schedules[3], body, "1", "3").out(1) == 0);
}

TEST_CASE("turns of one instruction take a poll that fails a number of times") {
  // CTA 1 looks ten times for what CTA 0 writes.
  const std::string body =
      "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @%p1 bra WRITE; mov.u32 %r4, 0;\n"
      "LOOK: ld.relaxed.gpu.global.u32 %r3, [%rd1+64]; setp.ne.u32 %p2, %r3, 0; @%p2 bra SEEN;\n"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 10; @%p3 bra LOOK; mov.u32 %r4, 100;\n"
      "SEEN: st.global.u32 [%rd1], %r4; ret;\n"
      "WRITE: mov.u32 %r5, 1; st.relaxed.gpu.global.u32 [%rd1+64], %r5;";
  CHECK(ran_by({}, body, "1", "2").out(0) == 0);
  Schedule held;
  held.held = {0};
  CHECK(ran_by(held, body, "1", "2").out(0) == 100);
}

TEST_CASE("a warp that is held does what those that spin wait for, and no more before they have gone on") {
  const std::string body =
      "mov.u32 %r5, 1; setp.ge.u32 %p1, %r1, 32; @%p1 bra WAIT; st.relaxed.gpu.global.u32 [%rd1+512], %r5;\n"
      "ld.relaxed.gpu.global.u32 %r6, [%rd1+516]; st.global.u32 [%rd1], %r6; ret;\n"
      "WAIT: ld.relaxed.gpu.global.u32 %r3, [%rd1+512]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;\n"
      "st.relaxed.gpu.global.u32 [%rd1+516], %r5;";
  Schedule held;
  held.held = {0};
  CHECK(ran_by({}, body, "64").out(0) == 0);
  CHECK(ran_by(held, body, "64").out(0) == 1);
}

TEST_CASE("what all schedules give, each gives") {
  const std::string body =
      "mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; st.shared.u32 [%r5], %r1;\n"
      "bar.sync 0;\n"
      "sub.u32 %r6, 63, %r1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r4, %r6; ld.shared.u32 %r7, [%r6];\n"
      "st.global.u32 [%rd3], %r7;\n"
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT; mov.u32 %r8, 1; st.release.gpu.global.u32 [%rd1+512], %r8;\n"
      "WAIT: ld.acquire.gpu.global.u32 %r9, [%rd1+512]; setp.eq.u32 %p2, %r9, 0; @%p2 bra WAIT;";
  for (const Schedule& schedule : all_schedules()) {
    const Ran ran = ran_by(schedule, body, "64");
    CHECK(ran.outcome.end == End::finished);
    CHECK(ran.outcome.faults.empty());
    CHECK(ran.out(0) == 63);
    CHECK(ran.out(63) == 0);
  }
}

TEST_CASE("lanes that go round keep no others of their warp from going on") {
  // Each lane takes a lock and gives it back behind the loop.
  const std::string body =
      "LOCK: atom.global.cas.b32 %r2, [%rd1+1024], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra LOCK;\n"
      "ld.volatile.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1], %r3;\n"
      "atom.global.exch.b32 %r4, [%rd1+1024], 0;";
  for (const Schedule& schedule : all_schedules()) {
    const Ran ran = ran_by(schedule, body, "64");
    CHECK(ran.outcome.end == End::finished);
    CHECK(ran.out(0) == 64);
  }
}

TEST_CASE("two locks that are taken in two orders are a hang in some schedule, at the second ones") {
  const std::string body =
      "shl.b32 %r2, %r1, 2; sub.u32 %r3, 128, %r2; cvt.u64.u32 %rd4, %r2; add.u64 %rd4, %rd1, %rd4;\n"
      "cvt.u64.u32 %rd5, %r3; add.u64 %rd5, %rd1, %rd5; and.b32 %r4, %r1, 31; setp.ne.u32 %p2, %r4, 0; @%p2 "
      "ret;\n"
      "ONE: atom.global.cas.b32 %r5, [%rd4], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra ONE;\n"
      "TWO: atom.global.cas.b32 %r5, [%rd5], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra TWO;\n"
      "st.global.u32 [%rd5], 0; st.global.u32 [%rd4], 0;";
  std::size_t hangs = 0;
  for (const Schedule& schedule : all_schedules()) {
    const Ran ran = ran_by(schedule, body, "64");
    if (ran.outcome.end != End::deadlock) continue;
    ++hangs;
    REQUIRE(ran.outcome.waiting.size() == 2);
    for (const Waiting& waiting : ran.outcome.waiting) {
      CHECK(ran.run->instruction(waiting.site).opcode == isa::Opcode::atom);
      CHECK(waiting.threads.size() == 1);
    }
    CHECK(ran.outcome.waiting[0].what == "a change of out+0, in a loop");
    CHECK(ran.outcome.waiting[1].what == "a change of out+128, in a loop");
  }
  CHECK(hangs != 0);
}

TEST_CASE("who polls places of their own by one instruction is told together") {
  const Ran ran("LOOP: ld.volatile.global.u32 %r2, [%rd3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;", "32");
  REQUIRE(ran.outcome.waiting.size() == 1);
  CHECK(ran.outcome.waiting[0].what == "a change of memory, in a loop");
  CHECK(ran.outcome.waiting[0].threads.size() == 32);
}

TEST_CASE("a hang is one in every schedule") {
  const std::string body =
      "WAIT: ld.acquire.gpu.global.u32 %r9, [%rd1+512]; setp.eq.u32 %p2, %r9, 0; @%p2 bra WAIT;";
  for (const Schedule& schedule : all_schedules())
    CHECK(ran_by(schedule, body, "96").outcome.end == End::deadlock);
}

TEST_CASE("what a thread stores in local memory lets nobody go on, but it may go on by it itself") {
  Options few;
  few.steps = 10'000'000;
  const std::string local = ".local .align 4 .b8 l[4];\n";
  const Ran waits(
      local +
          "WAIT: st.local.u32 [l], 1; ld.volatile.global.u32 %r2, [%rd1+512]; st.local.u32 [l], %r2;\n"
          "ld.local.u32 %r3, [l]; setp.eq.u32 %p1, %r3, 0; @%p1 bra WAIT;",
      "64", "", "1", few);
  CHECK(waits.outcome.end == End::deadlock);
  // The same registers each time it goes round.
  const Ran counts(local +
                       "st.local.u32 [l], 0;\n"
                       "COUNT: ld.local.u32 %r3, [l]; add.u32 %r3, %r3, 1; st.local.u32 [l], %r3;\n"
                       "setp.lt.u32 %p1, %r3, 10000; mov.u32 %r3, 0; @%p1 bra COUNT;",
                   "64", "", "1", few);
  CHECK(counts.outcome.end == End::finished);
}

}  // namespace
TEST_CASE("one thread polls for all, whom a reduction tells what it read") {
  // Does anything but the poll decide what threads do?
  const auto decides = [](const std::string& others, const std::string& adds) {
    const Ran ran(
        "mov.u32 %r5, %ctaid.x; mov.u32 %r7, 0; setp.ne.u32 %p1, %r5, 0; @%p1 bra WRITER;\n"
        "ROUND: mov.u32 %r6, " +
            adds +
            "; setp.ne.u32 %p2, %r1, 0; @%p2 bra OTHERS;\n"
            "ld.relaxed.gpu.global.u32 %r6, [%rd1+1024]; bra MEET;\n"
            "OTHERS: " +
            others +
            "\n"
            "MEET: setp.eq.u32 %p3, %r6, 1; bar.red.or.pred %p4, 0, %p3; @!%p4 bra ROUND;\n"
            "setp.eq.u32 %p6, %r7, 3; @%p6 bra DONE; ret;\n"
            "WRITER: setp.ne.u32 %p5, %r1, 0; @%p5 bra DONE; st.relaxed.gpu.global.u32 [%rd1+1024], "
            "1;\nDONE:",
        "64", "", "2");
    CHECK(ran.outcome.end == End::finished);
    return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                       [](const Decision& decision) { return decision.what == Decided::control; });
  };
  CHECK_FALSE(decides("", "0"));
  CHECK(decides("setp.eq.u32 %p7, %r1, 5; @%p7 st.global.u32 [%rd3], 1;", "0"));  // each time round
  CHECK(decides("add.u32 %r7, %r7, 1;", "0"));                                    // how often is known later
  CHECK(decides("", "1"));  // it is not the read that decides
}

namespace {

/// A warp that goes round until lanes of it have read 1, by an exchange: does anything but the polls decide what they do?
bool decides_beside(const std::string& lanes_that_read, const std::string& others,
                    const std::string& exchange, const Schedule& schedule = {}) {
  Options options;
  options.schedule = schedule;
  const Ran ran(
      "mov.u32 %r5, %ctaid.x; mov.u32 %r7, 0; setp.ne.u32 %p1, %r5, 0; @%p1 bra WRITER;\n"
      "ROUND: mov.u32 %r6, 1; setp." +
          lanes_that_read +
          "; @!%p2 bra OTHERS;\n"
          "ld.relaxed.gpu.global.u32 %r6, [%rd3+1024]; bra MEET;\n"
          "OTHERS: " +
          others + "\nMEET: " + exchange +
          " @!%p4 bra ROUND;\n"
          "setp.eq.u32 %p6, %r7, 3; @%p6 bra DONE; ret;\n"
          "WRITER: st.relaxed.gpu.global.u32 [%rd3+1024], 1;\nDONE:",
      "32", "", "2", options);
  CHECK(ran.outcome.end == End::finished);
  return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                     [](const Decision& decision) { return decision.what == Decided::control; });
}

}  // namespace

TEST_CASE("lanes that poll tell the others by a vote or a shuffle") {
  const std::string some = "lt.u32 %p2, %r1, 3", one = "eq.u32 %p2, %r1, 0";
  const std::string all = "setp.eq.u32 %p3, %r6, 1; vote.sync.all.pred %p4, %p3, 0xffffffff;";
  const std::string any =
      "setp.ne.u32 %p3, %r6, 1; vote.sync.any.pred %p5, %p3, 0xffffffff; not.pred %p4, %p5;";
  const std::string some_have =
      "setp.eq.u32 %p3, %r6, 1; vote.sync.any.pred %p4, %p3, 0xffffffff;";  // it is enough that one has read 1
  const auto taken = [](const std::string& from) {
    return "shfl.sync.idx.b32 %r8, %r6, " + from + ", 31, 0xffffffff; setp.eq.u32 %p4, %r8, 1;";
  };
  Schedule reversed;
  reversed.reversed = true;  // the writer is first
  for (const Schedule& schedule : {Schedule{}, reversed}) {
    CHECK_FALSE(decides_beside(some, "", all, schedule));
    CHECK_FALSE(decides_beside(some, "", any, schedule));
    CHECK_FALSE(decides_beside(one, "", taken("0"), schedule));
    CHECK(decides_beside("ge.u32 %p2, %r1, 0", "", some_have));
    CHECK(decides_beside(some, "mov.u32 %r6, 0; @%p1 bra MEET; mov.u32 %r6, 1;", taken("0"), schedule));
    CHECK(decides_beside(one, "st.global.u32 [%rd3], 1;", taken("0"), schedule));  // each time round
    CHECK(decides_beside(one, "add.u32 %r7, %r7, 1;", taken("0"), schedule));      // how often is known later
  }
}

}  // namespace ptxmc::exec

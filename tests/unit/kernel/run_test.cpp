// SPDX-License-Identifier: Apache-2.0
// Kernels from text: who goes on when, what memory holds in the end, and what is a fault.
#include <algorithm>
#include <optional>
#include <string>

#include "ran.h"

namespace ptxmc::exec {
namespace {

TEST_CASE("lanes part and meet again") {
  const Ran ran(
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;\n"
      "mov.u32 %r3, 100; bra DONE;\n"
      "EVEN: mov.u32 %r3, 200;\n"
      "DONE: add.u32 %r3, %r3, %r1; st.global.u32 [%rd3], %r3;",
      "40");
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.out(0) == 200);
  CHECK(ran.out(1) == 101);
  CHECK(ran.out(39) == 139);
  // Both warps execute the store once, and the two sides once each.
  CHECK(ran.outcome.warp_instructions < 2 * 20);
}

TEST_CASE("a loop whose lanes leave at different turns") {
  const Ran ran(
      "mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
      "LOOP: add.u32 %r3, %r3, %r2; add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"
      "st.global.u32 [%rd3], %r3;",
      "32");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.out(i) == i * (i + 1) / 2);
}

TEST_CASE("a lane that waits for another of its warp lets it go on") {
  // Lane 0 spins at a place before the one where lane 1 sets the flag.
  const Ran ran(
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra SET;\n"
      "WAIT: ld.acquire.gpu.global.u32 %r2, [%rd1+256]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\n"
      "st.global.u32 [%rd3], %r2; ret;\n"
      "SET: mov.u32 %r3, 7; st.release.gpu.global.u32 [%rd1+256], %r3;",
      "2");
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.out(0) == 7);
  // And one that stands after it.
  const Ran behind(
      "setp.eq.u32 %p1, %r1, 0; @%p1 bra SET;\n"
      "WAIT: ld.acquire.gpu.global.u32 %r2, [%rd1+256]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\n"
      "st.global.u32 [%rd3], %r2; ret;\n"
      "SET: mov.u32 %r3, 7; st.release.gpu.global.u32 [%rd1+256], %r3;",
      "2");
  CHECK(behind.out(1) == 7);
}

TEST_CASE("barriers pass values between warps") {
  const Ran ran(
      "mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r5, %r4, %r5; st.shared.u32 [%r5], %r1;\n"
      "bar.sync 0;\n"
      "sub.u32 %r6, 63, %r1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r4, %r6; ld.shared.u32 %r7, [%r6];\n"
      "st.global.u32 [%rd3], %r7;",
      "64", ".shared .align 4 .b8 s[256];\n");
  CHECK(ran.outcome.faults.empty());
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(ran.out(i) == 63 - i);
}

TEST_CASE("reductions over a barrier") {
  const Ran ran(
      "setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r2, 0, %p1; bar.red.and.pred %p2, 0, %p1;\n"
      "bar.red.or.pred %p3, 0, %p1; selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 2, 0, %p3;\n"
      "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%rd3], %r2;",
      "64");
  CHECK(ran.out(0) == 42);
  CHECK(ran.out(63) == 42);
}

TEST_CASE("a producer arrives, a consumer waits") {
  const Ran ran(
      "setp.ge.u32 %p1, %r1, 32; @%p1 bra CONSUME;\n"
      "mov.u32 %r2, 5; st.global.u32 [%rd3+128], %r2; bar.arrive 1, 64; ret;\n"
      "CONSUME: bar.sync 1, 64; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd3+256], %r3;",
      "64");
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.out(32 + 64) == 5);
}

TEST_CASE("a warp counts as 32 at a barrier with a count, whatever lanes of it have exited before") {
  const std::string half = "and.b32 %r4, %r1, 31; setp.ge.u32 %p1, %r4, 16; @%p1 exit; ";
  for (const char* barrier :
       {"bar.sync 1, 64;", "barrier.sync 1, 64;", "bar.red.popc.u32 %r2, 1, 64, %p1;"}) {
    CAPTURE(barrier);
    const Ran ran(half + barrier, "64");
    CHECK(ran.outcome.end == End::finished);
    CHECK(ran.outcome.faults.empty());
  }
  // What is left of a warp that divides counts for its share.
  CHECK(Ran("setp.lt.u32 %p1, %r1, 8; @%p1 bra L; barrier.sync 1, 32; ret; L: barrier.sync 2, 64;", "32")
            .outcome.end == End::deadlock);
}

TEST_CASE("nobody can go on") {
  const Ran counted("setp.ge.u32 %p1, %r1, 32; @%p1 ret; bar.sync 1, 64;", "64");
  CHECK(counted.outcome.end == End::deadlock);
  REQUIRE(counted.outcome.waiting.size() == 1);
  CHECK(counted.outcome.waiting.front().threads.size() == 32);
  CHECK(counted.outcome.waiting.front().what == "barrier 1");
  const Ran spin("LOOP: ld.volatile.global.u32 %r2, [%rd1+512]; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOOP;",
                 "64");
  CHECK(spin.outcome.end == End::deadlock);
  CHECK(spin.outcome.waiting.front().threads.size() == 64);
  // A loop that counts is none, however long.
  const Ran counts("mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 300000; @%p1 bra LOOP;",
                   "32");
  CHECK(counts.outcome.end == End::finished);
}

TEST_CASE("limits end a run") {
  Options options;
  options.steps = 1000;
  const Ran ran("LOOP: add.u32 %r2, %r2, 1; bra LOOP;", "32", "", "1", options);
  CHECK(ran.outcome.end == End::out_of_steps);
  Options stopped;
  stopped.stop = [](std::uint64_t) { return std::optional(End::stopped); };
  CHECK(Ran("LOOP: add.u32 %r2, %r2, 1; bra LOOP;", "32", "", "1", stopped).outcome.end == End::stopped);
}

TEST_CASE("lines of wmma matrices are aligned: the first as the fragment is, the others to 16 bytes") {
  const auto fault = [](const std::string& at, const std::string& stride) {
    return Ran("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, "
               "[" +
                   at + "], " + stride + ";",
               "32")
        .fault();
  };
  CHECK(fault("%rd1", "16") == "0 faults");
  CHECK(fault("%rd1", "24") == "0 faults");
  CHECK(fault("%rd1+16", "16") == "misaligned");
  CHECK(fault("%rd1", "20") == "misaligned");
  const auto stored = [](const std::string& at, const std::string& stride) {
    return Ran("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [" + at +
                   "], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}, " + stride + ";",
               "32")
        .fault();
  };
  CHECK(stored("%rd1", "16") == "0 faults");
  CHECK(stored("%rd1+2", "16") == "misaligned");
  CHECK(stored("%rd1+16", "16") == "misaligned");
  CHECK(stored("%rd1", "17") == "misaligned");
}

TEST_CASE("faults") {
  CHECK(Ran("st.global.u32 [%rd1+4096], %r1;", "1").fault() == "out-of-bounds");
  CHECK(Ran("st.global.u32 [%rd1+4092], %r1;", "1").fault() == "0 faults");
  CHECK(Ran("mov.u64 %rd4, 16; ld.u32 %r2, [%rd4];", "1").fault() == "out-of-bounds");
  CHECK(Ran("st.global.u32 [%rd1+2], %r1;", "1").fault() == "misaligned");
  CHECK(Ran("ld.global.v2.u32 {%r2, %r3}, [%rd1+4];", "1").fault() == "misaligned");
  CHECK(Ran("trap;", "1").fault() == "trap");
  CHECK(Ran("mov.u32 %r2, 33; bar.sync 0, %r2;", "32").fault() == "barrier-misuse");
  CHECK(Ran("mov.u32 %r2, 16; bar.sync %r2;", "32").fault() == "barrier-misuse");
  CHECK(Ran("bar.warp.sync 0xfffffffe;", "32").fault() == "not-in-membermask");
  CHECK(Ran("mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; st.global.u32 [%rd4], %r1;", "1",
            ".shared .align 8 .b8 s[8];\n")
            .fault() == "wrong-space");
  CHECK(Ran("ld.shared.u32 %r2, [s+8];", "1", ".shared .align 8 .b8 s[8];\n").fault() == "out-of-bounds");
  const char* constants = ".const .align 4 .b32 c[4];\n";
  const std::string to = "mov.u64 %rd4, c; cvta.const.u64 %rd4, %rd4; ";
  CHECK(Ran(to + "st.u32 [%rd4], %r1;", "1", constants).fault() == "read-only");
  CHECK(Ran(to + "atom.add.u32 %r2, [%rd4], 1;", "1", constants).fault() == "read-only");
  CHECK(Ran(to + "ld.u32 %r2, [%rd4];", "1", constants).outcome.faults.empty());
  CHECK(Ran(to + "ld.global.u32 %r2, [%rd4];", "1", constants).fault() == "wrong-space");
  CHECK(Ran(to + "ld.acquire.gpu.u32 %r2, [%rd4];", "1", constants).fault() == "wrong-space");
  CHECK(Ran(to + "ld.const.u32 %r2, [%rd4];", "1", constants).outcome.faults.empty());
  CHECK(Ran("ld.const.u32 %r2, [%rd1];", "1", constants).fault() == "wrong-space");
  const char* variables = ".shared .align 16 .b8 s[32];\n.local .align 16 .b8 l[16];\n";
  const std::string shared = "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; ",
                    local = "mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4; ",
                    copy = "cp.async.ca.shared.global [s], ";
  CHECK(Ran(local + "red.add.u32 [%rd4], 1;", "1", variables).fault() == "wrong-space");
  CHECK(Ran(local + "st.release.gpu.u32 [%rd4], 1;", "1", variables).fault() == "wrong-space");
  CHECK(Ran(local + "st.volatile.u32 [%rd4], 1;", "1", variables).outcome.faults.empty());
  CHECK(Ran(shared + "red.add.u32 [%rd4], 1;", "1", variables).outcome.faults.empty());
  CHECK(Ran(shared + "red.global.add.v2.f32 [%rd4], {%f1, %f2};", "1", variables).fault() == "wrong-space");
  CHECK(Ran(shared + copy + "[%rd4+16], 16;", "1", variables).fault() == "wrong-space");
  CHECK(Ran(copy + "[%rd1], 16;", "1", variables).outcome.faults.empty());
  CHECK(Ran("applypriority.global.L2::evict_normal [%rd1], 128;", "1").outcome.faults.empty());
  CHECK(Ran("applypriority.global.L2::evict_normal [%rd1+64], 128;", "1").fault() == "misaligned");
  CHECK(Ran("applypriority.global.L2::evict_normal [%rd1+4096], 128;", "1").fault() == "out-of-bounds");
  CHECK(Ran("discard.global.L2 [%rd1+64], 128;", "1").fault() == "misaligned");
  const std::string full = "mbarrier.init.shared.b64 [m], 1048575; ";
  CHECK(Ran(full + "cp.async.mbarrier.arrive.shared.b64 [m];", "1", ".shared .align 8 .b8 m[8];\n").fault() ==
        "mbarrier-misuse");
  CHECK(Ran(full + "cp.async.mbarrier.arrive.noinc.shared.b64 [m];", "1", ".shared .align 8 .b8 m[8];\n")
            .outcome.faults.empty());
  CHECK(Ran("cp.async.bulk.prefetch.L2.global [%rd1], 24;", "1").fault() == "bad-operand");
  CHECK(Ran("cp.async.bulk.prefetch.L2.global [%rd1+8], 16;", "1").fault() == "misaligned");
  CHECK(Ran("cp.async.bulk.prefetch.L2.global [%rd1], 32;", "1").outcome.faults.empty());
  // Instances of one instruction are one fault.
  const Ran many("st.global.u32 [%rd3+8192], %r1;", "64");
  CHECK(many.fault() == "out-of-bounds");
  CHECK(many.outcome.faults.front().instances == 64);
  // The object that they are behind, and what would be enough for the last of them.
  CHECK(many.outcome.faults.front().bytes == 4096);
  CHECK(many.outcome.faults.front().enough == 8192 + 64 * 4);
  CHECK(Ran("mov.u64 %rd4, 16; ld.u32 %r2, [%rd4];", "1").outcome.faults.front().object.empty());
}

TEST_CASE("misuse of mbarrier objects, barriers and exchanges is a fault (9.7.12.15, R169, R229, R292)") {
  const auto fault = [](const std::string& code, const char* threads = "1") -> std::optional<RuleId> {
    const Ran ran(code, threads, ".shared .align 8 .b64 m[2];\n");
    if (ran.outcome.faults.empty()) return std::nullopt;
    return ran.outcome.faults.front().rule;
  };
  const std::string init = "mbarrier.init.shared.b64 [m], 2; ",
                    second = "mbarrier.init.shared.b64 [m+8], 1; ";
  const std::string arrive = "mbarrier.arrive.shared.b64 %rd4, [m]; ";
  CHECK(fault(init + init) == RuleId::mbarrier_misuse);
  const std::string both = "mbarrier.arrive.shared.b64 %rd4, [m], 2; ",
                    seen = "mbarrier.test_wait.parity.shared.b64 %p1, [m], 0; ";
  CHECK(fault(init + both + both) == RuleId::mbarrier_unwaited);  // R197
  CHECK(fault(init + both + seen + both) == std::nullopt);
  CHECK(fault(init + "mbarrier.inval.shared.b64 [m]; " + init) == std::nullopt);
  const std::string test = "mbarrier.test_wait.shared.b64 %p1, [m], %rd4; ";
  CHECK(fault(init + arrive + test) == std::nullopt);
  CHECK(fault(init + "mov.u64 %rd4, 5; " + test) == RuleId::mbarrier_misuse);
  CHECK(fault(init + second + "mbarrier.arrive.shared.b64 %rd4, [m+8]; " + test) == RuleId::mbarrier_misuse);
  const std::string pending = "mbarrier.pending_count.b64 %r2, %rd4; ";
  CHECK(fault(init + arrive + pending) == RuleId::mbarrier_misuse);
  CHECK(fault(init + "mbarrier.arrive.noComplete.shared.b64 %rd4, [m], 1; " + pending) == std::nullopt);
  const std::string expect = "mbarrier.expect_tx.relaxed.cta.shared.b64 [m], ";
  CHECK(fault(init + expect + "1048575; ") == std::nullopt);
  CHECK(fault(init + expect + "1048575; " + expect + "1; ") == RuleId::mbarrier_misuse);
  const std::string some = "setp.lt.u32 %p1, %r1, 16; ";
  CHECK(fault(some + "@%p1 bar.sync 0; ", "32") == RuleId::barrier_divergence);
  CHECK(fault(some + "@%p1 bra.uni L; mov.u32 %r2, 1; L: mov.u32 %r3, 1; ", "32") ==
        RuleId::barrier_divergence);
  CHECK(fault(some + "@%p1 ret.uni; ", "32") == RuleId::barrier_divergence);
  CHECK(fault(some + "@%p1 ret.uni; ", "16") == std::nullopt);
  const std::string indexed =
      "T: .branchtargets A, B; shr.u32 %r2, %r1, 4; brx.idx.uni %r2, T; A: mov.u32 %r3, 1; B: mov.u32 %r3, 2; ";
  CHECK(fault(indexed, "32") == RuleId::barrier_divergence);
  CHECK(fault(indexed, "16") == std::nullopt);
  const std::string shuffle = "shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffffffff; ";
  CHECK(fault(shuffle, "32") == std::nullopt);
  CHECK(fault(shuffle, "16") == RuleId::absent_lane);
}

TEST_CASE("who waits for a phase is told what it lacks") {
  const auto waits_for = [](const std::string& code) {
    const Ran ran("mbarrier.init.shared.b64 [m], 2; " + code +
                      " W: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra W;",
                  "1", ".shared .align 8 .b64 m[2];\n");
    REQUIRE(ran.outcome.waiting.size() == 1);
    return ran.outcome.waiting[0].what;
  };
  const std::string phase = "phase 0 of the mbarrier object at m[0]: ";
  CHECK(waits_for("mbarrier.arrive.shared.b64 _, [m];") == phase + "1 of 2 arrivals are missing");
  CHECK(waits_for("mbarrier.arrive.expect_tx.shared.b64 _, [m], 64; mbarrier.arrive.shared.b64 _, [m];") ==
        phase + "64 bytes are missing");
  CHECK(waits_for(
            "mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 16; mbarrier.arrive.shared.b64 _, [m], 2;") ==
        phase + "16 bytes more have come than were expected");
}

TEST_CASE("a part of a warp at an aligned barrier") {
  const Ran ran(
      "setp.lt.u32 %p1, %r1, 16; @%p1 bra LEFT; bar.sync 0; bra DONE;\n"
      "LEFT: bar.sync 0;\n"
      "DONE: st.global.u32 [%rd3], %r1;",
      "32");
  REQUIRE(!ran.outcome.faults.empty());
  CHECK(ran.outcome.faults.front().rule == RuleId::barrier_divergence);
  const Ran unaligned(
      "setp.lt.u32 %p1, %r1, 16; @%p1 bra LEFT; barrier.sync 0; bra DONE;\n"
      "LEFT: barrier.sync 0;\n"
      "DONE: st.global.u32 [%rd3], %r1;",
      "32");
  CHECK(unaligned.outcome.faults.empty());
}

TEST_CASE("lanes exchange values") {
  const Ran ran(
      "shfl.sync.down.b32 %r2, %r1, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1;\n"
      "shfl.sync.idx.b32 %r4, %r1, 5, 31, -1; shfl.sync.up.b32 %r5, %r1, 2, 0, -1;\n"
      "mad.lo.u32 %r6, %r2, 100, %r3; mad.lo.u32 %r6, %r6, 100, %r4; mad.lo.u32 %r6, %r6, 100, %r5;\n"
      "st.global.u32 [%rd3], %r6;",
      "32");
  const auto expected = [](std::uint64_t down, std::uint64_t bfly, std::uint64_t idx, std::uint64_t up) {
    return ((down * 100 + bfly) * 100 + idx) * 100 + up;
  };
  CHECK(ran.out(0) == expected(1, 16, 5, 0));
  CHECK(ran.out(31) == expected(31, 15, 5, 29));
  CHECK(ran.out(10) == expected(11, 26, 5, 8));
}

TEST_CASE("votes, matches, reductions, one that is elected") {
  const Ran ran(
      "setp.lt.u32 %p1, %r1, 4; vote.sync.ballot.b32 %r2, %p1, -1; and.b32 %r3, %r1, 1;\n"
      "match.any.sync.b32 %r4, %r3, -1; redux.sync.add.u32 %r5, %r1, -1; elect.sync _|%p2, -1;\n"
      "vote.sync.any.pred %p3, %p1, -1; vote.sync.all.pred %p4, %p1, -1;\n"
      "add.u32 %r6, %r2, %r5; @%p2 add.u32 %r6, %r6, 1000; @%p3 add.u32 %r6, %r6, 10000; @%p4 add.u32 %r6, "
      "%r6, 7;\n"
      "st.global.u32 [%rd3], %r6; st.global.u32 [%rd3+128], %r4;",
      "32");
  CHECK(ran.out(0) == 15 + 496 + 1000 + 10000);
  CHECK(ran.out(1) == 15 + 496 + 10000);
  CHECK(ran.out(32) == 0x55555555);
  CHECK(ran.out(33) == 0xaaaaaaaa);
}

TEST_CASE("lanes that parted meet at an exchange") {
  const Ran ran(
      "setp.lt.u32 %p1, %r1, 16; @%p1 bra LEFT; shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; bra DONE;\n"
      "LEFT: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n"
      "DONE: st.global.u32 [%rd3], %r2;",
      "32");
  CHECK(ran.outcome.end == End::finished);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.out(i) == (i ^ 16));
}

TEST_CASE("atomics take turns, and their results rest on timing") {
  const Ran ran(
      "atom.global.add.u32 %r2, [%rd1+1024], 1; setp.eq.u32 %p1, %r2, 63; @%p1 bra LAST; ret;\n"
      "LAST: mov.u32 %r3, 9; st.global.u32 [%rd1], %r3;",
      "64");
  CHECK(ran.out(256) == 64);
  CHECK(ran.out(0) == 9);
  REQUIRE(ran.outcome.decisions.size() == 2);  // the atomic, and the branch
  for (const Decision& decision : ran.outcome.decisions) {
    CHECK(decision.what == Decided::control);
    CHECK(decision.sources == bit(exec::Source::timing));
  }
  CHECK(Ran("red.global.add.u32 [%rd1], 2;", "64").out(0) == 128);
  CHECK(Ran("atom.global.cas.b32 %r2, [%rd1], 0, 5; atom.global.exch.b32 %r3, [%rd1+4], 6;", "1").out(0) ==
        5);
}

TEST_CASE("local memory is each thread's own") {
  const Ran ran(
      "{ .local .align 4 .b8 depot[16]; mov.u64 %rd4, depot; cvta.local.u64 %rd5, %rd4; st.u32 [%rd5+4], "
      "%r1;\n"
      "ld.local.u32 %r2, [%rd4+4]; st.global.u32 [%rd3], %r2; }",
      "64");
  CHECK(ran.outcome.faults.empty());
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(ran.out(i) == i);
}

TEST_CASE("what opaque data decides is said") {
  Words words;
  words.grid = "1";
  words.block = "32";
  words.arguments = {"buffer:4K"};
  const program::Program program =
      launch::launched(".param .u64 p",
                       ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; ld.param.u64 %rd1, [p]; "
                       "ld.global.u32 %r1, [%rd1];\n"
                       "setp.eq.u32 %p1, %r1, 3; @%p1 bra DONE; and.b32 %r2, %r1, 60; cvt.u64.u32 %rd2, %r2; "
                       "add.u64 %rd3, %rd1, %rd2;\n"
                       "ld.global.u32 %r3, [%rd3]; DONE: ret;",
                       words);
  Run run(program, nullptr);
  const Outcome outcome = run.run({});
  REQUIRE(outcome.decisions.size() == 2);
  CHECK(outcome.decisions[0].what == Decided::control);
  CHECK(outcome.decisions[1].what == Decided::address);
  CHECK(outcome.decisions[1].sources == bit(exec::Source::data));
}

TEST_CASE("a loop that waits for memory with barriers in it is found to go round and round") {
  Options most;
  most.steps = 10'000'000;
  const auto waits = [&](const std::string& step) {
    return Ran(
        "mov.u32 %r5, 0; setp.ne.u32 %p1, %r1, 0;\n"
        "AGAIN: bar.sync 0; @!%p1 ld.acquire.gpu.global.u32 %r4, [%rd1]; @!%p1 st.shared.u32 [s], %r4; "
        "bar.sync 0;\n"
        "ld.shared.u32 %r6, [s];" +
            step + "setp.ge.u32 %p3, %r5, 100; @%p3 bra DONE; setp.eq.u32 %p2, %r6, 0; @%p2 bra AGAIN; DONE:",
        "64", ".shared .align 4 .b8 s[4];\n", "1", most);
  };
  CHECK(waits("").outcome.end == End::deadlock);
  CHECK(waits("add.u32 %r5, %r5, 1;").outcome.end == End::finished);  // registers change
}

TEST_CASE("what a guard leaves as it was rests on the guard") {
  const auto decided = [](const std::string& guard) {
    const Ran ran(
        "mov.u32 %r2, %clock; setp.eq.u32 %p1, %r2, 123456; mov.u32 %r3, 0;\n" + guard +
            " mov.u32 %r3, 1; setp.eq.u32 %p2, %r3, 1; @%p2 bra DONE; st.global.u32 [%rd3], 7; DONE:",
        "1");
    return ran.outcome.decisions;
  };
  for (const std::string guard : {"@%p1", "@!%p1"}) {
    const std::vector<Decision> decisions = decided(guard);
    REQUIRE(decisions.size() == 1);
    CHECK(decisions[0].what == Decided::control);
    CHECK(decisions[0].sources == bit(exec::Source::timing));
  }
  CHECK(decided("setp.eq.u32 %p1, %r1, 5; @%p1").empty());
}

/// Two warps: the first arrives at `full`, the second tries, and waits where `skip` does not hold.
Ran by_token(const std::string& token, const std::string& skip, const std::string& wait = "") {
  return Ran(
      "setp.lt.u32 %p1, %r1, 32; mov.u32 %r5, full; mov.u32 %r6, other;\n"
      "setp.ne.u32 %p3, %r1, 0; @%p3 bra MADE; mbarrier.init.shared.b64 [full], 32; "
      "mbarrier.init.shared.b64 [other], 64; MADE: bar.sync 0;\n"
      "mbarrier.arrive.shared.b64 _, [other];\n"
      "@%p1 bra FIRST;\n" +
          token + " selp.u32 %r2, 1, 0, %p2; mov.u32 %r3, %r2;\n" + skip +
          " bra SKIP;\n"
          "AGAIN: mbarrier.try_wait.parity" +
          wait +
          ".shared.b64 %p4, [full], 0; @!%p4 bra AGAIN;\n"
          "SKIP: st.global.u32 [%rd3], 7; ret;\n"
          "FIRST: mbarrier.arrive.shared.b64 _, [full];",
      "64", ".shared .align 8 .b64 full; .shared .align 8 .b64 other;\n");
}

TEST_CASE("a try ahead that decides no more than where the wait is") {
  const std::string test = "setp.eq.u32 %p5, %r3, 1; @%p5";
  const auto decided = [](const Ran& ran) {
    CHECK(ran.outcome.end == End::finished);
    CHECK(ran.outcome.faults.empty());
    CHECK(ran.out(40) == 7);
    return !ran.outcome.decisions.empty();
  };
  const std::string token = "mbarrier.test_wait.parity.shared.b64 %p2, [full], 0;";
  CHECK_FALSE(decided(by_token(token, test)));
  CHECK_FALSE(decided(by_token(token, "setp.ne.u32 %p5, %r3, 0; and.pred %p6, %p5, %p5; @%p6")));
  // The wait may be weaker: what it orders is in order without it, too.
  CHECK_FALSE(decided(by_token(token, test, ".relaxed.cta")));
  // For another object, another parity, or weaker than the wait.
  CHECK(decided(by_token("mbarrier.test_wait.parity.shared.b64 %p2, [other], 0;", test)));
  CHECK(decided(by_token("mbarrier.test_wait.parity.shared.b64 %p2, [full], 1;", test)));
  CHECK(decided(by_token("mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p2, [full], 0;", test)));
  // It decides something else, too, or comes from two tries.
  CHECK(decided(by_token(token, "setp.eq.u32 %p5, %r3, 1; @%p5 st.global.u32 [%rd3+512], 1; @%p5")));
  CHECK(decided(by_token(
      token + " mbarrier.test_wait.parity.shared.b64 %p7, [other], 0; or.pred %p2, %p2, %p7;", test)));
}

TEST_CASE("both ways of a branch are not taken where one writes what a strong read looks at") {
  // Control rests on a read of out[2]; open contents decide whether there is a write, of this word or another.
  const auto taken = [](const std::string& word, bool before) {
    const std::string reads =
        "ld.relaxed.gpu.global.u32 %r5, [%rd1+8]; setp.eq.u32 %p1, %r5, 7; @%p1 bra A; st.global.u32 "
        "[%rd1+12], 1;\nA:\n";
    const std::string writes =
        "ld.shared.u32 %r6, [d]; setp.ne.u32 %p2, %r6, 0; @%p2 bra B; red.relaxed.gpu.global.add.u32 [%rd1+" +
        word + "], 1;\nB:\n";
    Options options;
    options.both_sides = true;
    const Ran ran(before ? writes + reads : reads + writes, "1", ".shared .align 4 .b32 d;", "1", options);
    const auto& decisions = ran.outcome.decisions;
    return ran.outcome.both_sides.size() == 1 &&
           std::none_of(decisions.begin(), decisions.end(),
                        [](const Decision& decision) { return (decision.sources & bit(Source::data)) != 0; });
  };
  CHECK(taken("16", false));
  CHECK(taken("16", true));
  CHECK_FALSE(taken("8", false));
  CHECK_FALSE(taken("8", true));
}

}  // namespace
}  // namespace ptxmc::exec

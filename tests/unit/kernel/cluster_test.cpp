// SPDX-License-Identifier: Apache-2.0
// Several CTAs of a cluster, and warpgroups.
#include <utility>

#include "ran.h"

namespace ptxmc::exec {
namespace {

const std::string kSharedRing = ".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 m;\n";

/// A kernel of two CTAs that are a cluster, of which the first is named: the other runs, too.
struct RanCluster {
  program::Program program;
  std::unique_ptr<Run> run;
  Outcome outcome;

  explicit RanCluster(const std::string& body) {
    Words words;
    words.grid = "4";
    words.block = "32";
    words.cluster = "2";
    words.arguments = {"out=buffer:4K:zero"};
    launch::Choice choice;
    choice.ctas = std::vector<std::uint64_t>{0};
    program =
        launch::launched(".param .u64 p",
                         ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .b16 %rs<5>;\n"
                         "ld.param.u64 %rd1, [p]; mov.u32 %r1, %cluster_ctarank; mul.wide.u32 %rd2, %r1, 4;\n"
                         "add.u64 %rd3, %rd1, %rd2;\n" +
                             body + "\nret;",
                         words, kSharedRing, choice);
    run = std::make_unique<Run>(program, nullptr);
    outcome = run->run({});
  }
};

/// Rank 0 copies 16 bytes to the CTAs of the mask; each waits at its own object.
std::string multicast(const std::string& mask) {
  return "mov.u32 %r10, m; mov.u32 %r11, s; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0;\n"
         "@%p1 bra READY; mov.u32 %r3, 1; mbarrier.init.shared.b64 [%r10], %r3;\n"
         "mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 16; mov.u32 %r4, 5; st.global.u32 [%rd1+1024], "
         "%r4;\n"
         "READY: barrier.cluster.arrive; barrier.cluster.wait;\n"
         "@%p1 bra DONE; setp.ne.u32 %p2, %r1, 0; @%p2 bra WAIT; mov.u16 %rs1, " +
         mask +
         ";\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r11], "
         "[%rd1+1024], 16, [%r10], %rs1;\n"
         "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], 0; @!%p3 bra WAIT;\n"
         "ld.shared.u32 %r5, [s]; st.global.u32 [%rd3], %r5; DONE:";
}

}  // namespace

TEST_CASE("the rank of a CTA in an address is taken as given where mapa did not put it there") {
  const auto rests = [](const std::string& address) {
    const RanCluster ran("barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r10, s; " + address +
                         "ld.shared::cluster.u32 %r5, [%r11]; barrier.cluster.arrive; barrier.cluster.wait;");
    CHECK(ran.outcome.faults.empty());
    return !ran.outcome.ranks.empty();
  };
  CHECK_FALSE(rests("mapa.shared::cluster.u32 %r11, %r10, 1; "));
  CHECK_FALSE(rests("mapa.shared::cluster.u32 %r11, %r10, 1; add.u32 %r11, %r11, 8; "));
  CHECK_FALSE(rests("add.u32 %r11, %r10, 8; "));
  CHECK(rests("or.b32 %r11, %r10, 0x1000000; "));
  CHECK(rests("and.b32 %r11, %r10, 0xfeffffff; "));
  CHECK(rests("mapa.shared::cluster.u32 %r11, %r10, 0; add.u32 %r11, %r11, 0x1000000; "));
  CHECK(rests("mapa.shared::cluster.u32 %r11, %r10, 1; and.b32 %r11, %r11, 0xfeffffff; "));
}

TEST_CASE("a multicast writes at one place of each CTA of its mask, and signals there (9.7.8.24.6)") {
  const RanCluster ran(multicast("3"));
  CHECK(ran.program.threads.size() == 64);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.run->memory("out", 0).bits == 5);
  CHECK(ran.run->memory("out", 1).bits == 5);
  CHECK(RanCluster(multicast("1")).outcome.end == End::deadlock);  // rank 1 waits for its bytes
  const RanCluster outside(multicast("7"));
  REQUIRE(outside.outcome.faults.size() == 1);
  CHECK(outside.outcome.faults.front().what == "a mask 0x7 of CTAs in a cluster of 2");
}

TEST_CASE("an address of a CTA's own shared memory is one of the cluster's, below its rank (5.1.7)") {
  // Lane 0 of each CTA writes 7 + its rank where the address says, and all look what is there.
  const auto seen = [](const std::string& address) {
    const RanCluster ran(
        "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra MEET; add.u32 %r3, %r1, 7;\n" + address +
        "st.shared::cluster.u32 [%r4], %r3;\n"
        "MEET: barrier.cluster.arrive; barrier.cluster.wait;\n"
        "ld.shared.u32 %r5, [s]; ld.shared.u32 %r6, [s+4]; shl.b32 %r6, %r6, 8; add.u32 %r5, %r5, %r6;\n"
        "@!%p1 st.global.u32 [%rd3], %r5;");
    CHECK(ran.outcome.faults.empty());
    return std::pair(ran.run->memory("out", 0).bits, ran.run->memory("out", 1).bits);
  };
  const std::string offset = "shl.b32 %r7, %r1, 2; add.u32 %r4, %r4, %r7;\n";  // a word for each
  CHECK(seen("mov.u32 %r4, s;\n" + offset) == std::pair<std::uint64_t, std::uint64_t>(7, 8 << 8));
  CHECK(seen("mov.u64 %rd5, s; cvta.shared.u64 %rd6, %rd5; cvta.to.shared.u64 %rd7, %rd6; cvt.u32.u64 %r4, "
             "%rd7;\n" +
             offset) == std::pair<std::uint64_t, std::uint64_t>(7, 8 << 8));
  // Without the lowest bit of the rank it is that of the first CTA of the pair.
  CHECK(seen("mov.u32 %r4, s; and.b32 %r4, %r4, 0xfeffffff;\n" + offset) ==
        std::pair<std::uint64_t, std::uint64_t>(7 + (8 << 8), 0));
  CHECK(seen("mov.u32 %r4, s; mapa.shared::cluster.u32 %r4, %r4, 1;\n" + offset) ==
        std::pair<std::uint64_t, std::uint64_t>(0, 7 + (8 << 8)));
  CHECK(seen("mov.u32 %r4, s; getctarank.shared::cluster.u32 %r8, %r4; add.u32 %r3, %r8, 1;\n" + offset) ==
        std::pair<std::uint64_t, std::uint64_t>(1, 2 << 8));
}

TEST_CASE("a thread that arrives at a barrier and then waits there has arrived twice") {
  const Ran ran("bar.arrive 1, 64; bar.sync 1, 64; mov.u32 %r2, 3; st.global.u32 [%rd3], %r2;", "32");
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.out(0) == 3);
}

TEST_CASE("wgmma: the bytes that descriptors name are in shared memory, and its products are not known") {
  const auto product = [](const std::string& descriptor) {
    return Ran(
        ".reg .f32 %d<4>; mov.u32 %r3, s; cvt.u64.u32 %rd5, %r3; shr.u64 %rd5, %rd5, 4; or.b64 %rd4, %rd5, " +
            descriptor +
            "; mov.b32 %r2, 0; mov.b32 %d0, %r2; mov.b32 %d1, %r2; mov.b32 %d2, %r2; mov.b32 %d3, %r2;\n"
            "wgmma.fence.sync.aligned; setp.ne.u32 %p1, %r2, 0;\n"
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd4, %rd4, %p1, 1, 1, "
            "0, 0;\n"
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
            "st.global.f32 [%rd3], %d0; setp.eq.f32 %p2, %d0, 0f00000000; @%p2 bra N; N:",
        "128", kSharedRing);
  };
  // Leading offset 128, stride 256, both in units of 16 bytes; the matrix at s (9.7.14.5.1.2.7).
  const Ran ran = product("0x0000001000080000");
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.run->memory("out", 0).sources == bit(Source::data));
  CHECK(ran.outcome.decisions.size() == 1);
  CHECK(product("0x0000001000083fff").fault() == "out-of-bounds");
}

namespace {

/// The kinds of what is wrong, in a cluster of two CTAs whose objects `m` are initialised: %r4 and %r5 are addresses of `s` and
/// `m` in the other CTA, %rd4 and %rd5 the same as generic ones.
std::string faults_of(const std::string& code) {
  const RanCluster ran(
      "mov.u32 %r10, m; mov.u32 %r11, s; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; xor.b32 %r3, %r1, 1;\n"
      "@!%p1 mbarrier.init.shared.b64 [%r10], 1;\n"
      "mapa.shared::cluster.u32 %r4, %r11, %r3; mapa.shared::cluster.u32 %r5, %r10, %r3;\n"
      "cvt.u64.u32 %rd4, %r4; cvta.shared::cluster.u64 %rd4, %rd4; cvt.u64.u32 %rd5, %r5;\n"
      "cvta.shared::cluster.u64 %rd5, %rd5;\n"
      "barrier.cluster.arrive; barrier.cluster.wait; @%p1 bra DONE;\n" +
      code + " DONE: barrier.cluster.arrive; barrier.cluster.wait;");
  std::string out;
  for (const Fault& fault : ran.outcome.faults) out += std::string(name_of(fault.rule)) + " ";
  return out;
}

}  // namespace

TEST_CASE("an operand without ::cluster is of the executing CTA (5.1.7)") {
  for (const char* code :
       {"ld.shared.u32 %r6, [%r4];", "ld.shared::cta.u32 %r6, [%r4];", "st.shared.u32 [%r4], %r6;",
        "atom.shared.add.u32 %r6, [%r4], 1;", "red.shared::cta.add.u32 [%r4], 1;",
        "cp.async.ca.shared.global [%r4], [%rd1], 16;", "mbarrier.arrive.shared.b64 _, [%r5];",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], 16;",
        "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4], [%rd1], 16, [%r10];",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 16;"})
    CHECK_MESSAGE(faults_of(code) == "wrong-space ", code);
  for (const char* code :
       {"ld.shared::cluster.u32 %r6, [%r4];", "ld.u32 %r6, [%rd4];", "st.shared::cluster.u32 [%r4], %r6;",
        "atom.shared::cluster.add.u32 %r6, [%r4], 1;", "mbarrier.arrive.shared::cluster.b64 _, [%r5];",
        "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r5], 0;"})
    CHECK_MESSAGE(faults_of(code).empty(), code);
}

TEST_CASE("objects of another CTA take arrivals without a result, and counts (9.7.12.15.8)") {
  for (const char* code :
       {"mbarrier.arrive.b64 %rd6, [%rd5];", "mbarrier.test_wait.parity.b64 %p2, [%rd5], 0;",
        "mbarrier.try_wait.parity.b64 %p2, [%rd5], 0;", "mbarrier.inval.b64 [%rd5];",
        "cp.async.mbarrier.arrive.b64 [%rd5];"})
    CHECK_MESSAGE(faults_of(code).starts_with("mbarrier-misuse "), code);
  CHECK(faults_of("mbarrier.arrive.b64 _, [%rd5];").empty());
}

TEST_CASE("asynchronous stores and bulk copies from shared memory are to another CTA (R128, R146)") {
  const std::string store = "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 ",
                    reduce =
                        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 ",
                    copy = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes ";
  CHECK(faults_of(store + "[%r4], %r1, [%r5];").empty());
  CHECK(faults_of(store + "[%r11], %r1, [%r10];") == "bad-operand ");
  CHECK(faults_of(store + "[%r4], %r1, [%r10];") == "bad-operand ");
  CHECK(faults_of(reduce + "[%r4], %r1, [%r5];").empty());
  CHECK(faults_of(reduce + "[%r11], %r1, [%r10];") == "bad-operand ");
  CHECK(faults_of(copy + "[%r4], [%r11], 16, [%r5];").empty());
  CHECK(faults_of(copy + "[%r11], [%r11], 16, [%r10];") == "bulk-copy-to-own-cta ");
}

TEST_CASE("operands that the manual forbids, and a copy of no bytes (9.7.8.24.6, 9.7.12.15.16)") {
  CHECK(faults_of("mbarrier.test_wait.parity.shared.b64 %p2, [%r10], 2;") == "bad-operand ");
  CHECK(faults_of("mbarrier.test_wait.parity.shared.b64 %p2, [%r10], 1;").empty());
  const std::string copy =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1], ";
  CHECK(faults_of(copy + "0, [%r10];").empty());
  CHECK(faults_of(copy + "8, [%r10];") == "bad-operand ");
}

TEST_CASE("a wait at the barrier of the cluster without an arrival never ends (R174)") {
  CHECK(RanCluster("barrier.cluster.arrive; barrier.cluster.wait;").outcome.end == End::finished);
  CHECK(RanCluster("barrier.cluster.wait;").outcome.end == End::deadlock);
  CHECK(RanCluster("barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.wait;").outcome.end ==
        End::deadlock);
  const RanCluster twice("barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;");
  REQUIRE(!twice.outcome.faults.empty());
  CHECK(twice.outcome.faults.front().rule == RuleId::barrier_misuse);
}

}  // namespace ptxmc::exec

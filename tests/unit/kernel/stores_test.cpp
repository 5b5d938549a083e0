// SPDX-License-Identifier: Apache-2.0
// st.async, red.async, st.bulk, wide atomics, redux of floating numbers, maps in memory, and launches that are cancelled.
#include "ran.h"

namespace ptxmc::exec {
namespace {

const std::string kShared = ".shared .align 128 .b8 s[256]; .shared .align 8 .b64 m;\n";
/// Lane 0 initialises the object, and expects 8 bytes.
const std::string kObject =
    "mov.u32 %r10, m; mov.u32 %r11, s; setp.ne.u32 %p1, %r1, 0; @%p1 bra READY; mov.u32 %r3, 1;\n"
    "mbarrier.init.shared.b64 [%r10], %r3; mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 8; READY: "
    "bar.sync 0;\n";
const std::string kAwait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], 0; @!%p3 bra WAIT;\n";

}  // namespace

TEST_CASE("st.async writes, and its bytes count to the object (9.7.8.12)") {
  const Ran ran(kObject +
                    "@%p1 bra NEXT; mov.u32 %r4, 7; mov.u32 %r5, 9;\n"
                    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r11], {%r4, %r5}, "
                    "[%r10];\nNEXT:\n" +
                    kAwait + "ld.shared.u32 %r6, [s+4]; st.global.u32 [%rd3], %r6;",
                "64", kShared);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.fault() == "bad-operand");  // it is meant for another CTA (R128), and goes on
  CHECK(ran.out(63) == 9);
}

TEST_CASE("a stored value that another schedule may give otherwise is told") {
  const auto varies = [](const std::string& body) { return !Ran(body, "2").outcome.varies.empty(); };
  CHECK(varies("atom.global.add.u32 %r4, [%rd1+64], 1; st.global.u32 [%rd3], %r4;"));
  CHECK(
      varies(".shared .b32 t; atom.global.add.u32 %r4, [%rd1+64], 1; st.shared.u32 [t], %r4;\n"
             "ld.shared.u32 %r5, [t]; st.global.u32 [%rd3], %r5;"));
  CHECK_FALSE(varies("atom.global.add.u32 %r4, [%rd1+64], 1; st.global.u32 [%rd3], %r1;"));
  CHECK_FALSE(varies("ld.global.u32 %r4, [%rd3+8]; st.global.u32 [%rd3], %r4;"));
}

TEST_CASE("a register in braces is a vector of one, in ld, st, st.async and mov alone") {
  const Ran ran(
      "mov.b32 {%r4}, 7; mov.b32 %r5, {%r4}; st.global.b32 [%rd3], {%r5}; ld.global.b32 {%r6}, [%rd3];\n"
      "add.u32 %r6, %r6, 1; st.global.b32 [%rd3+4], {%r6};",
      "1");
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.out(0) == 7);
  CHECK(ran.out(1) == 8);
  for (const char* wrong : {"add.u32 %r4, {%r5}, 1;", "st.global.v2.b32 [%rd3], {%r5};",
                            "atom.global.add.u32 %r4, [%rd3], {%r5};", "setp.eq.u32 %p1, {%r4}, 1;"})
    CHECK_THROWS_AS(Ran(wrong, "1"), InputError);
}

TEST_CASE("red.async adds, once for each lane (9.7.12.7)") {
  const Ran ran(
      kObject +
          "st.shared.u32 [s], %r1; bar.sync 0; setp.gt.u32 %p2, %r1, 1; @%p2 bra NEXT; mov.u32 %r4, 5;\n"
          "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r11], %r4, "
          "[%r10];\n"
          "NEXT:\n" +
          kAwait + "ld.shared.u32 %r6, [s]; st.global.u32 [%rd3], %r6;",
      "2", kShared);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.out(0) == 1 + 2 * 5);
}

TEST_CASE("st.bulk fills with zeros, whole words of 8 bytes") {
  const std::string fill = "mov.u32 %r4, 7; st.shared.u32 [s+8], %r4; mov.u32 %r11, s; mov.u64 %rd4, ";
  const std::string rest =
      "; st.bulk.weak.shared::cta [%r11], %rd4, 0; ld.shared.u32 %r6, [s+8]; st.global.u32 [%rd3], %r6;";
  const Ran ran(fill + "16" + rest, "1", kShared);
  CHECK(ran.out(0) == 0);
  CHECK(ran.outcome.faults.empty());
  CHECK(Ran(fill + "12" + rest, "1", kShared).fault() == "bad-operand");
}

TEST_CASE("cas of 128 bits compares both halves (9.7.12.5)") {
  for (const int upper : {2, 3}) {
    const Ran ran(".reg .b128 %q<4>; mov.u64 %rd4, 1; mov.u64 %rd5, 2; mov.u64 %rd6, " +
                      std::to_string(upper) +
                      ";\nmov.b128 %q1, {%rd4, %rd5}; mov.b128 %q2, {%rd4, %rd6}; mov.u64 %rd7, 8;\n"
                      "mov.b128 %q3, {%rd7, %rd7}; atom.global.exch.b128 %q0, [%rd1], %q1;\n"
                      "atom.global.cas.b128 %q0, [%rd1], %q2, %q3; mov.b128 {%rd8, %rd9}, %q0;\n"
                      "st.global.u64 [%rd1+16], %rd9;",
                  "1");
    CHECK(ran.out(0) == (upper == 2 ? 8 : 1));
    CHECK(ran.out(2) == (upper == 2 ? 8 : 2));
    CHECK(ran.out(4) == 2);
  }
}

TEST_CASE("redux of floating numbers leaves out what is none, but with .NaN (9.7.12.11)") {
  const std::string values =
      "cvt.rn.f32.u32 %f1, %r1; setp.eq.u32 %p1, %r1, 3; @%p1 mov.f32 %f1, 0f7FC00000;\n";
  const Ran most(values + "redux.sync.max.f32 %f2, %f1, 0xffffffff; st.global.f32 [%rd3], %f2;", "32");
  CHECK(most.out(0) == 0x41f80000);  // 31
  const Ran none(values + "redux.sync.max.NaN.f32 %f2, %f1, 0xffffffff; st.global.f32 [%rd3], %f2;", "32");
  CHECK(none.out(0) == 0x7fffffff);
}

TEST_CASE("launches of clusters that have not started are cancelled, each once, and those do not run") {
  const Ran ran(
      "setp.ne.u32 %p1, %r1, 0; mov.u32 %r10, m; mov.u32 %r11, s; mov.u32 %r12, %ctaid.x; mov.u32 %r3, 1;\n"
      "mbarrier.init.shared.b64 [%r10], %r3; mov.u32 %r7, 0;\n"
      "TILE: mul.wide.u32 %rd4, %r12, 4; add.u64 %rd5, %rd1, %rd4; atom.global.add.u32 %r8, [%rd5], 1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 16;\n"
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r11], [%r10];\n"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r10], %r7; @!%p3 bra WAIT; xor.b32 %r7, %r7, 1;\n"
      ".reg .b128 %q; ld.shared.b128 %q, [s];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q;\n"
      "@%p4 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r12, %q; @%p4 bra TILE;",
      "1", kShared, "6");
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.faults.empty());
  for (std::uint32_t tile = 0; tile < 6; ++tile) CHECK(ran.out(tile) == 1);
}

}  // namespace ptxmc::exec

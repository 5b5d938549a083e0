// SPDX-License-Identifier: Apache-2.0
// Aligned barriers: which lanes of a warp must execute them together (9.7.12.1, 9.7.12.3, R169).
#include <algorithm>
#include <string>

#include "ran.h"

namespace ptxmc::exec {
namespace {

bool diverges(const std::string& code, const char* threads = "32") {
  const Ran ran(code, threads);
  return std::any_of(ran.outcome.faults.begin(), ran.outcome.faults.end(),
                     [](const Fault& fault) { return fault.rule == RuleId::barrier_divergence; });
}
bool is_clean(const std::string& code, const char* threads = "32") {
  const Ran ran(code, threads);
  return ran.outcome.end == End::finished && ran.outcome.faults.empty();
}

const std::string kHalf = "setp.ge.u32 %p1, %r1, 16; ",
                  kOdd = "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; ",
                  kStoreWord = "st.global.u32 [%rd3], %r1; ";

}  // namespace

TEST_CASE("a part of a warp goes past an aligned barrier, and ends or goes on") {
  for (const std::string& some : {kHalf, kOdd}) {
    CHECK(diverges(some + "@%p1 bar.sync 0; " + kStoreWord));
    CHECK(diverges(some + "@!%p1 bra NEXT; bar.sync 0; NEXT: " + kStoreWord));
    CHECK(diverges(some + "@!%p1 bra END; bar.sync 0; " + kStoreWord + "END: "));
    CHECK(diverges(some + "@%p1 bra IN; " + kStoreWord + "ret; IN: bar.sync 0; " + kStoreWord));
    CHECK(diverges(some + "@%p1 barrier.sync.aligned 0; " + kStoreWord));
    CHECK(diverges(some + "@%p1 bra NEXT; bar.red.or.pred %p2, 0, %p1; NEXT: " + kStoreWord));
    CHECK(diverges(some + "@%p1 bra NEXT; bar.arrive 1, 64; NEXT: " + kStoreWord));
    CHECK(diverges(some + "@%p1 bra NEXT; barrier.cluster.arrive.aligned; NEXT: " + kStoreWord));
    CHECK(!diverges(some + "@%p1 bra NEXT; barrier.sync 0; NEXT: " + kStoreWord));
  }
}

TEST_CASE("lanes that have exited before an aligned barrier need not be there") {
  CHECK(is_clean(kHalf + "@%p1 exit; bar.sync 0; " + kStoreWord));
  CHECK(is_clean(kOdd + "@%p1 ret; bar.sync 0; bar.sync 0; " + kStoreWord));
  // In some turn of a loop.
  CHECK(
      is_clean("mov.u32 %r3, 0; LOOP: bar.sync 0; setp.eq.u32 %p2, %r3, %r1; @%p2 exit; add.u32 %r3, %r3, 1; "
               "setp.lt.u32 %p3, %r3, 40; @%p3 bra LOOP; "));
  // Where the others are at a barrier, an exit is not before it.
  CHECK(diverges(kHalf + "@!%p1 bra IN; exit; IN: bar.sync 0; "));
}

TEST_CASE("lanes that part and meet again before an aligned barrier") {
  CHECK(is_clean(kOdd +
                 "@%p1 bra ODD; add.u32 %r3, %r1, 1; bra JOIN; ODD: add.u32 %r3, %r1, 2; JOIN: bar.sync 0; " +
                 kStoreWord));
  // After loops that each lane leaves at another turn.
  CHECK(is_clean(
      "mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra LOOP; bar.sync 0; " +
      kStoreWord));
  // A way that leaves the barrier out, and that no lane takes.
  CHECK(is_clean(kHalf +
                 "setp.gt.u32 %p2, %r1, 99; @%p1 bra IN; add.u32 %r3, %r1, 1; @%p2 bra END; IN: bar.sync 0; "
                 "END: " +
                 kStoreWord));
  // Other warps may do something else.
  CHECK(is_clean(
      "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1, 64; bra END; A: bar.sync 1, 64; END: " + kStoreWord,
      "64"));
}

TEST_CASE("lanes of a warp at the same number of aligned barriers, and not at the same ones") {
  CHECK(diverges(kHalf + "@%p1 bra HIGH; bar.sync 0; bra END; HIGH: bar.sync 0; END: " + kStoreWord));
  CHECK(diverges(kHalf + "@%p1 bra HIGH; bar.sync 1, 32; bra END; HIGH: bar.sync 2, 32; END: " + kStoreWord));
  // Each lane once, in one of two turns of a loop.
  CHECK(diverges(
      "mov.u32 %r3, 0; LOOP: add.u32 %r2, %r1, %r3; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 1; "
      "@!%p1 bra NEXT; bar.sync 0; NEXT: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 2; @%p3 bra LOOP; " +
      kStoreWord));
  // As often as their number says.
  CHECK(diverges(
      "mov.u32 %r3, 0; LOOP: bar.sync 0; add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra LOOP; " +
      kStoreWord));
}

TEST_CASE("a membermask names a lane that has exited (R226)") {
  const Ran ran(kHalf + "@%p1 exit; bar.warp.sync 0xffffffff; " + kStoreWord, "32");
  CHECK(ran.fault() == "exited-lane");
  CHECK(!ran.outcome.faults.front().is_error());
  CHECK(is_clean(kHalf + "@%p1 exit; bar.warp.sync 0xffff; " + kStoreWord));
}

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Repairs by fences of the tensormap proxy, and by tcgen05.commit.
#include <doctest/doctest.h>

#include <memory>

#include "input/litmus/parse.h"
#include "repair/repair.h"

using namespace ptxmc;
using namespace ptxmc::repair;

namespace {

/// A thread changes a map and copies by it.
std::string copies(const std::string& release, const std::string& acquire) {
  return "PTX t\n{\n  .global .u32 A[4] = {1, 1, 1, 1};\n  .global .u32 B[4] = {2, 2, 2, 2};\n"
         "  .global .tensormap tm = tensor(A, .u32, dims={4}, box={4});\n  .shared .u32 s[4];\n"
         "  .shared .b64 bar = 1;\n}\nP0 {\n  mov.u64 %rd0, B;\n"
         "  tensormap.replace.tile.global_address.global.b1024.b64 [tm], %rd0;\n" +
         release + acquire +
         "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
         "  cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [tm, {0}], [bar];\n"
         "  W0: mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n  @!%p0 bra W0;\n"
         "  ld.weak.shared.u32 %r0, [s];\n}\nexists (P0:%r0 == 1)\n";
}

Repairs repairs_of(const std::string& text) {
  const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  Asked asked;
  asked.repairs = 1;
  return find_repairs(session::Session(session::Settings{}), test, asked);
}

const std::string kRelease = "  fence.proxy.tensormap::generic.release.gpu;\n";
const std::string kAcquire = "  fence.proxy.tensormap::generic.acquire.gpu [tm], 128;\n";

}  // namespace

TEST_CASE("a map that is changed is released, and acquired before the copy") {
  const Repairs acquired = repairs_of(copies(kRelease, ""));
  REQUIRE(acquired.repairs.size() == 1);
  CHECK(acquired.repairs.front().what ==
        std::vector<std::string>{
            "P0 after line 12: insert fence.proxy.tensormap::generic.acquire.cta [tm], 128"});
  const Repairs released = repairs_of(copies("", kAcquire));
  REQUIRE(released.repairs.size() == 1);
  CHECK(released.repairs.front().what ==
        std::vector<std::string>{"P0 after line 11: insert fence.proxy.tensormap::generic.release.cta"});
  const Repairs both = repairs_of(copies("", ""));
  REQUIRE(both.repairs.size() == 1);
  CHECK(both.repairs.front().what.size() == 2);
  CHECK(repairs_of(copies(kRelease, kAcquire)).wanted.nothing());
}

TEST_CASE("a commit arrives at the object that a thread waits for") {
  const Repairs found = repairs_of(
      "PTX t\n{\n  .tensor .b32 t[32] = {0};\n  .shared .b64 bar = 1;\n  uint8_t a[4096];\n  uint8_t b[256];\n}\n"
      "P0 @ cta 0 {\n  tcgen05.mma.cta_group::1.kind::f16 [t], desc(a), desc(b), 0x8020010, 0;\n}\n"
      "P1 @ cta 0 {\nW0:\n  mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p0, [bar], 0;\n"
      "  @!%p0 bra W0;\n  tcgen05.fence::after_thread_sync;\n"
      "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r}, [t];\n}\n"
      "regions: a:shared, b:shared\nexists (P1:%r == 0)\n");
  REQUIRE(found.repairs.size() == 1);
  CHECK(
      found.repairs.front().what.front() ==
      "P0 after line 9: insert tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar]");
}

// SPDX-License-Identifier: Apache-2.0
// Opaque values, and the registers of wgmma.

#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "lowered.h"

using namespace ptxmc;
using namespace ptxmc::lower;

namespace {

const std::string kFence = "wgmma.fence.sync.aligned; ", kCommit = "wgmma.commit_group.sync.aligned; ",
                  kWait = "wgmma.wait_group.sync.aligned 0; ";
const std::string kMma =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, desc(s), "
    "0, 1, 1, 0; ";

std::string test(const std::string& code) {
  return "PTX t\n{ uint32_t s[128]; }\nP0 @ cta 0 {\n" + code + "\n}\nregions: s:shared\nforall (true)\n";
}

std::vector<std::string> misuses(const std::string& code) {
  std::vector<std::string> names;
  for (const event::Misuse& misuse : lowered(test(code)).misuses)
    names.emplace_back(finding::name_of(misuse.rule));
  return names;
}

}  // namespace

TEST_CASE("opaque values: equal arguments, equal results; others are not told apart") {
  event::ExprPool pool;
  const auto number = [&](event::Value v) { return pool.constant(v, 32); };
  const auto f = [&](event::Value a, event::Value b) {
    return uninterpreted(pool, "f", {number(a), number(b)});
  };
  CHECK(f(3, 4) == f(3, 4));
  CHECK(f(3, 4) != f(4, 3));
  CHECK(!pool.is_constant(pool.make(event::Op::eq, 1, f(3, 4), f(4, 3))));
  CHECK(uninterpreted(pool, "g", {number(3), number(4)}) != f(3, 4));
}

TEST_CASE("contents do not depend on how memory is divided") {
  event::ExprPool pool;
  const auto add = [&](Contents& c, std::int64_t begin, std::int64_t size, event::Value v) {
    c.add(begin, size, pool.constant(v, size >= 8 ? 64 : static_cast<event::Width>(size * 8)));
  };
  Contents whole(pool), halves(pool), other(pool);
  add(whole, 0, 8, 0x500000000);
  add(whole, 8, 120, 0);
  add(halves, 0, 4, 0);
  add(halves, 4, 4, 5);
  add(halves, 8, 64, 0);
  add(halves, 72, 56, 0);
  add(other, 0, 4, 5);
  CHECK(whole.result() == halves.result());
  CHECK(whole.result() != other.result());
}

TEST_CASE("registers of wgmma: fences and waits") {
  using Names = std::vector<std::string>;
  const Names flight{"wgmma-register-in-flight"}, unfenced{"wgmma-register-unfenced"},
      first{"wgmma-unfenced"};
  const std::string use = "add.u32 %r, %d1, 1; ";
  CHECK(misuses(kFence + kMma + kCommit + kWait + use).empty());
  CHECK(misuses(kFence + kMma + kCommit + use + kWait) == flight);
  CHECK(misuses(kFence + kMma + kWait + use + kCommit) == flight);
  CHECK(misuses(kFence + kMma + kMma + kCommit + kWait).empty());
  CHECK(misuses("mov.b32 %a1, 5; " + kMma + kCommit + kWait) ==
        Names{"wgmma-register-unfenced", "wgmma-unfenced"});
  CHECK(misuses("mov.b32 %a1, 5; " + kFence + kMma + kCommit + kWait).empty());
  CHECK(misuses(kFence + kMma + kCommit + kWait + use + kMma + kCommit + kWait) == unfenced);
  CHECK(misuses(kFence + kMma + kCommit + kWait + use + kFence + kMma + kCommit + kWait).empty());
  CHECK(misuses(kFence + kMma + kCommit + kMma + kCommit + "wgmma.wait_group.sync.aligned 1; " + use) ==
        flight);
  CHECK(misuses("setp.eq.u32 %p, 0, 1; @%p mov.b32 %a1, 5; " + kMma + kCommit + kWait) == first);
  CHECK(misuses(kMma + kCommit + kWait) == first);
  CHECK(misuses(kMma + kMma + kCommit + kWait) == first);  // the first alone
  CHECK(misuses("setp.eq.u32 %p, 0, 1; @%p wgmma.fence.sync.aligned; " + kMma + kCommit + kWait) == first);
}

TEST_CASE("what is refused") {
  const auto code = [](const std::string& instruction) { return test(instruction); };
  CHECK(fails_with(
      code("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, "
           "%a3}, desc(s+8), 0, 1, 1, 0;"),
      "misaligned"));
  CHECK(fails_with(
      code("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, "
           "%a3}, desc(s+448), 0, 1, 1, 0;"),
      "outside of s"));
  CHECK(fails_with(
      code("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, "
           "%a3}, desc(s), 0, 2, 1, 0;"),
      "expected 1 or -1"));
  CHECK(fails_with(
      code("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, "
           "%a3}, desc(s), 0, 1, 1, 0, 0;"),
      "has no imm-trans-a"));
  CHECK(fails_with(
      "PTX t\n{ uint32_t s[32]; }\nP0 @ cta 0, warp 0, lane 0 { ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
      "{%r}, [s]; }\nregions: s:shared\nforall (true)\n",
      "by a single lane"));
}

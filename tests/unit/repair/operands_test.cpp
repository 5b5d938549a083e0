// SPDX-License-Identifier: Apache-2.0
// Repairs where no order helps: other places, values and sizes. None takes away that threads hear of each other.
#include "repair/operands.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "input/litmus/parse.h"
#include "repair/repair.h"

using namespace ptxmc;
using namespace ptxmc::repair;

namespace {

/// What the repairs of a test change, one change each.
std::vector<std::string> repairs_of(const std::string& text) {
  const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  Asked asked;
  asked.changes = 1;
  asked.repairs = 0;
  std::vector<std::string> out;
  for (const Repair& repair : find_repairs(session::Session(session::Settings{}), test, asked).repairs)
    out.push_back(repair.what.front());
  return out;
}

std::string pair_of(const std::string& declarations, const std::string& first, const std::string& second,
                    const std::string& condition) {
  return "PTX t\n{\n" + declarations + "}\nP0 @ cta 0 {\n" + first +
         "}\nP1 @ cta 1 {\n  .reg .u32 %r0, %r1;\n" + "  .reg .u64 %w;\n  .reg .pred %p;\n" + second + "}\n" +
         condition + "\n";
}

const std::string kWait =
    "W: ld.acquire.gpu.global.u32 %r0, [flag];\n  setp.ne.u32 %p, %r0, 1;\n  @%p bra W;\n";

}  // namespace

TEST_CASE("a store goes to the slot of an array that somebody reads and nobody writes") {
  const std::string slots = "  .global .u32 s[2] = {0, 0};\n  .global .u32 flag = 0;\n";
  const auto found = repairs_of(pair_of(slots,
                                        "  st.global.u32 [s], 1;\n  st.global.u32 [s], 2;\n"
                                        "  st.release.gpu.global.u32 [flag], 1;\n",
                                        kWait + "  ld.global.u32 %r0, [s];\n  ld.global.u32 %r1, [s+4];\n",
                                        "exists (P1:%r0 != 1 \\/ P1:%r1 != 2)"));
  CHECK(found == std::vector<std::string>{"P0 line 8: st.global.u32 of s -> s+4"});
}

TEST_CASE("a place that the thread has nothing to do with yet comes first") {
  const std::string three = "  .global .u32 x = 0;\n  .global .u32 y = 0;\n  .global .u32 flag = 0;\n";
  const auto found =
      repairs_of(pair_of(three, "  st.global.u32 [x], 1;\n  st.release.gpu.global.u32 [flag], 1;\n",
                         kWait + "  ld.global.u32 %r1, [y];\n", "exists (P1:%r1 == 0)"));
  CHECK(found == std::vector<std::string>{"P0 line 8: st.global.u32 of x -> y",
                                          "P1 line 18: ld.global.u32 of y -> x"});
}

TEST_CASE("data become no flag") {
  const auto found = repairs_of(
      "PTX t\n{\n  .global .u32 table = 0;\n  .global .u32 met = 0;\n}\nP0 @ cta 0 {\n"
      "  st.release.gpu.global.u32 [met], 1;\n  st.global.u32 [table], 9;\n}\nP1 @ cta 1 {\n  .reg .u32 %r0;\n"
      "  ld.acquire.gpu.global.u32 %r0, [met];\n  st.global.u32 [table], 5;\n}\n"
      "filter (P1:%r0 == 1)\nexists (table == 9)\n");
  CHECK(found == std::vector<std::string>{"P0 line 8: st.global.u32 stands before line 7"});
}

TEST_CASE("that nobody reads what was written, or hears of it, is no repair") {
  const std::string two = "  .global .u32 x = 0;\n  .global .u32 y = 0;\n";
  CHECK(repairs_of(pair_of(two, "  st.relaxed.gpu.global.u32 [x], 1;\n  st.relaxed.gpu.global.u32 [y], 1;\n",
                           "  ld.relaxed.gpu.global.u32 %r0, [x];\n", "exists (P1:%r0 == 1)"))
            .empty());
  CHECK(repairs_of(pair_of(two, "  st.relaxed.gpu.global.u32 [x], 1;\n  st.relaxed.gpu.global.u32 [y], 1;\n",
                           "  ld.relaxed.gpu.global.u32 %r0, [x];\n  ld.relaxed.gpu.global.u32 %r1, [y];\n",
                           "exists (P1:%r0 == 1 /\\ P1:%r1 == 1)"))
            .empty());
}

TEST_CASE("a loop waits for a value that comes of what others add, and not for none") {
  const std::string counted = "  .global .u32 x = 0;\n  .global .u32 flag = 0;\n";
  const auto found = repairs_of(
      "PTX t\n{\n" + counted +
      "}\nP0 @ cta 0 {\n  st.global.u32 [x], 1;\n  red.release.gpu.global.add.u32 [flag], 1;\n}\n" +
      "P2 @ cta 2 {\n  red.release.gpu.global.add.u32 [flag], 1;\n}\n" +
      "P1 @ cta 1 {\n  .reg .u32 %r0;\n  .reg .pred %p;\nW: ld.acquire.gpu.global.u32 %r0, [flag];\n" +
      "  setp.lt.u32 %p, %r0, 1;\n  @%p bra W;\n  ld.global.u32 %r0, [x];\n}\nexists (P1:%r0 == 0)\n");
  CHECK(found == std::vector<std::string>{"P1 line 17: wait for 2 in place of 1"});
  // Nobody writes 2, and with any other value nobody would wait.
  CHECK(repairs_of(
            pair_of(counted, "  st.release.gpu.global.u32 [x], 1;\n",
                    "W: ld.acquire.gpu.global.u32 %r0, [flag];\n  setp.ne.u32 %p, %r0, 2;\n  @%p bra W;\n",
                    "exists (P1:%r0 == 2)"))
            .empty());
}

TEST_CASE("a wait for a phase that no arrival completes does not become one for a phase that is complete") {
  const std::string text =
      "PTX t\n{\n  .shared .b64 bar = 1;\n}\nP0 @ cta 0 {\nW: mbarrier.try_wait.parity.shared.b64 %p0, "
      "[bar], 0;\n"
      "  @!%p0 bra W;\n}\nP1 @ cta 0 {\n  mov.u32 %r0, 1;\n}\nexists (P1:%r0 == 1)\n";
  const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  Asked asked;
  asked.wanted = wanted_by("Terminates", test);
  asked.repairs = 0;
  const Repairs found = find_repairs(session::Session(session::Settings{}), test, asked);
  CHECK(found.before.hangs == true);
  for (const Repair& repair : found.repairs) CHECK(repair.what.front().find("phase 1") == std::string::npos);
}

TEST_CASE("accesses of several sizes become accesses of one") {
  const std::string wide = "  .global .align 8 .u64 w = 0;\n  .global .u32 x = 0;\n";
  const std::string polls_half =
      "W: ld.acquire.gpu.global.u32 %r0, [w+4];\n  setp.eq.u32 %p, %r0, 0;\n  @%p bra W;\n"
      "  ld.global.u32 %r1, [x];\n";
  const std::string outcome = "exists (P1:%r1 == 0)";
  const auto has = [](const std::vector<std::string>& found, const std::string& what) {
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& one) { return one.find(what) != std::string::npos; });
  };
  const auto loads = repairs_of(
      pair_of(wide, "  st.global.u32 [x], 1;\n  red.release.gpu.global.add.u64 [w], 0x100000000;\n",
              polls_half, outcome));
  CHECK(has(loads, "ld.acquire.gpu.global.u32 of w+4 as part of 8 bytes at w"));
  const auto stores = repairs_of(pair_of(
      wide, "  st.global.u32 [x], 1;\n  st.release.gpu.global.u64 [w], 0x100000002;\n", polls_half, outcome));
  CHECK(has(stores, "st.release.gpu.global.u64 of w in parts: 4 bytes at w, 4 bytes at w+4"));
  CHECK(has(stores, "as part of 8 bytes at w"));
}

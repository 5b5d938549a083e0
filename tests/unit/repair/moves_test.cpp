// SPDX-License-Identifier: Apache-2.0
// Repairs by which an access stands elsewhere.
#include <doctest/doctest.h>

#include <memory>

#include "input/litmus/parse.h"
#include "repair/repair.h"

using namespace ptxmc;
using namespace ptxmc::repair;

namespace {

/// A count that a lock guards: `last` ends each of two threads.
std::string counted(const std::string& last) {
  const std::string code =
      "  .reg .u32 %o, %c;\n  .reg .pred %p;\nT:\n  atom.acquire.gpu.global.cas.b32 %o, [lock], 0, 1;\n"
      "  setp.ne.u32 %p, %o, 0;\n  @%p bra T;\n  ld.global.u32 %c, [count];\n  add.u32 %c, %c, 1;\n" +
      last + "}\n";
  return "PTX t\n{\n  .global .u32 lock = 0;\n  .global .u32 count = 0;\n}\nP0 @ cta 0 {\n" + code +
         "P1 @ cta 1 {\n" + code + "exists (count == 1)\n";
}

Repairs repairs_of(const std::string& text) {
  const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  Asked asked;
  asked.repairs = 1;
  return find_repairs(session::Session(session::Settings{}), test, asked);
}

}  // namespace

TEST_CASE("a store moves past a release") {
  const Repairs found = repairs_of(
      counted("  atom.release.gpu.global.exch.b32 %o, [lock], 0;\n  st.global.u32 [count], %c;\n"));
  REQUIRE(found.repairs.size() == 1);
  CHECK(found.repairs.front().what ==
        std::vector<std::string>{"P0 line 16: st.global.u32 stands before line 15",
                                 "P1 line 28: st.global.u32 stands before line 27"});
  CHECK(
      repairs_of(counted("  st.global.u32 [count], %c;\n  atom.release.gpu.global.exch.b32 %o, [lock], 0;\n"))
          .wanted.nothing());
}

TEST_CASE("a store moves past no access of its own place") {
  const Repairs found = repairs_of(
      "PTX t\n{\n  .global .u32 x = 0;\n}\nP0 @ cta 0 {\n  st.release.gpu.global.u32 [x], 1;\n"
      "  st.global.u32 [x], 2;\n}\nP1 @ cta 1 {\n  ld.acquire.gpu.global.u32 %r, [x];\n}\n"
      "exists (P1:%r == 2)\n");
  REQUIRE(!found.repairs.empty());
  CHECK(found.outcome_stays);
  CHECK(found.repairs.front().what ==
        std::vector<std::string>{"P0 line 7: st.global.u32 -> st.relaxed.gpu.global.u32"});
}

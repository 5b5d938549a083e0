// SPDX-License-Identifier: Apache-2.0
// Multimem addresses (8.2.3, 9.7.8.13): who may access what, and the events of an access.
#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;

std::string program(const std::string& code) {
  return one_thread(
      ".global .align 8 .u32 a[2]; .global .align 8 .u32 b[2]; .global .u32 g; m multimem a, b;", code,
      "exists (true)");
}

TEST_CASE("only multimem instructions access multimem addresses, and they access no others (R9)") {
  CHECK(fails_with(program("ld.global.u32 %r0, [m];"), "m is a multimem address"));
  CHECK(fails_with(program("st.u32 [m], 1;"), "m is a multimem address"));
  CHECK(fails_with(program("atom.global.add.u32 %r0, [m], 1;"), "m is a multimem address"));
  CHECK(fails_with(program("mov.u64 %rd0, m; ld.global.u32 %r0, [%rd0];"), "m is a multimem address"));
  CHECK(fails_with(program("multimem.st.global.u32 [g], 1;"), "g is no multimem address"));
  CHECK(fails_with(program("multimem.ld_reduce.relaxed.gpu.global.add.u32 %r0, [g];"),
                   "g is no multimem address"));
  CHECK(fails_with(program("multimem.red.relaxed.sys.global.add.u32 [a], 1;"), "a is no multimem address"));
  CHECK(fails_with(program("multimem.st.global.u32 [m+8], 1;"), "outside of"));
  CHECK(fails_with(program("multimem.st.global.u32 [m+2], 1;"), "no multiple of 4 bytes"));
}

TEST_CASE("an access of each location, in no order") {
  const auto loaded = lowered(program("multimem.ld_reduce.global.add.u32 %r0, [m+4];"));
  CHECK_EQ(events_of(loaded, EventKind::read).size(), 2U);
  const auto stored = lowered(program("multimem.st.global.v2.f32 [m], {%r0, %r1};"));
  CHECK_EQ(events_of(stored, EventKind::write).size(), 4U);
  const auto reduced = lowered(program("multimem.red.global.add.u32 [m], 1;"));
  const auto reads = events_of(reduced, EventKind::read), writes = events_of(reduced, EventKind::write);
  REQUIRE_EQ(reads.size(), 2U);
  REQUIRE_EQ(writes.size(), 2U);
  for (const auto read : reads) {
    CHECK(reduced.events[read].labels.no_return);
    CHECK(reduced.events[read].labels.scope == isa::Scope::sys);
    CHECK_NE(reduced.events[read].vector, event::kNoEvent);
  }
}

}  // namespace
}  // namespace ptxmc::lower

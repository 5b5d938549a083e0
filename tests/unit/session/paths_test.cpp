// SPDX-License-Identifier: Apache-2.0
// Guards over open contents that exclude each other: what is claimed for all contents.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "dynamic/claim/claim.h"
#include "input/litmus/parse.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

using claim::Verdict;

Verdict verdict_of_text(const std::string& text) {
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  VerifySettings settings;
  settings.steps = 100'000;
  return claim::verdict_of(verify(task, settings)->verified);
}

/// Two warps have loaded an open word, and write one location where their guards %p hold.
Verdict said_paths(const std::string& first, const std::string& second, const std::string& access = "") {
  const auto thread = [&](const std::string& place, const std::string& value, const std::string& guard) {
    return place + " {\n.reg .u32 %r<9>;\n.reg .u16 %h<3>;\n.reg .pred %p, %q;\nmov.u32 %r8, " + value +
           ";\nld.weak.shared.u32 %r1, [g];\n" + guard +
           (access.empty() ? "@%p st.weak.global.u32 [x], %r8;\n" : access) + "exit;\n}\n";
  };
  const std::string text = "PTX T\n{\n.global .u32 x = 0;\n.shared .u32 g;\n}\n" +
                           thread("P0 @ cta 0, warp 0", "1", first) +
                           thread("P1 @ cta 0, warp 1", "2", second) + "exists (true)\n";
  return verdict_of_text(text);
}
bool proven_paths(const std::string& first, const std::string& second) {
  return said_paths(first, second) == Verdict::proven;
}

TEST_CASE("one owner, by a number or a range") {
  CHECK(proven_paths("setp.eq.u32 %p, %r1, 1;\n", "setp.eq.u32 %p, %r1, 2;\n"));
  CHECK_FALSE(proven_paths("setp.eq.u32 %p, %r1, 1;\n", "setp.eq.u32 %p, %r1, 1;\n"));
  CHECK(proven_paths("setp.lt.u32 %p, %r1, 2;\n", "setp.ge.u32 %p, %r1, 2;\n"));
  CHECK_FALSE(proven_paths("setp.le.u32 %p, %r1, 2;\n", "setp.ge.u32 %p, %r1, 2;\n"));
  // A number that is negative for one of them is large for the other.
  CHECK_FALSE(proven_paths("setp.lt.s32 %p, %r1, 2;\n", "setp.ge.u32 %p, %r1, 2;\n"));
}

TEST_CASE("what is computed of the word") {
  CHECK(proven_paths("and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 0;\n",
                     "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 1;\n"));
  CHECK(proven_paths("setp.eq.u32 %p, %r1, 4;\n", "shr.u32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 3;\n"));
  CHECK_FALSE(proven_paths("setp.eq.u32 %p, %r1, 7;\n", "shr.u32 %r2, %r1, 1;\nsetp.eq.u32 %p, %r2, 3;\n"));
  CHECK_FALSE(proven_paths("setp.lt.u32 %p, %r1, 1;\n", "add.u32 %r2, %r1, 1;\nsetp.gt.s32 %p, %r2, 0;\n"));
  CHECK(proven_paths("cvt.u16.u32 %h1, %r1;\nsetp.eq.u16 %p, %h1, 1;\n", "setp.eq.u32 %p, %r1, 2;\n"));
  CHECK_FALSE(
      proven_paths("cvt.u16.u32 %h1, %r1;\nsetp.eq.u16 %p, %h1, 1;\n", "setp.eq.u32 %p, %r1, 65537;\n"));
}

TEST_CASE("what nobody evaluates may be anything") {
  CHECK_FALSE(proven_paths("brev.b32 %r2, %r1;\nsetp.eq.u32 %p, %r2, 1;\n", "setp.eq.u32 %p, %r1, 2;\n"));
}

TEST_CASE("a guard that is read again behind a way that may have written it") {
  const std::string writes =
      "setp.eq.u32 %q, %r1, 5;\n@%q st.weak.shared.u32 [g], 1;\nld.weak.shared.u32 %r1, [g];\n";
  CHECK_FALSE(proven_paths(writes + "setp.eq.u32 %p, %r1, 1;\n", "setp.eq.u32 %p, %r1, 5;\n"));
}

TEST_CASE("conditions of branches in branches count together") {
  const std::string inner =
      "@!%p bra E;\nsetp.ge.u32 %q, %r1, 4;\n@%q bra E;\nst.weak.global.u32 [x], %r8;\nE:\n";
  CHECK(said_paths("setp.ge.u32 %p, %r1, 4;\n", "setp.eq.u32 %p, %r1, 9;\n", inner) == Verdict::proven);
  CHECK(said_paths("setp.ge.u32 %p, %r1, 3;\n", "setp.le.u32 %p, %r1, 3;\n", inner) != Verdict::proven);
}

/// The same of an access of an element that the word decides: of an array in the CTA's shared memory, or in global memory. Thread 1 does
/// the same, or reads an element after a barrier, or without.
Verdict said_places(const std::string& index, const std::string& access, const std::string& other) {
  const auto thread = [&](const std::string& place, const std::string& code) {
    return place + " {\n.reg .u32 %r<9>;\n.reg .u64 %d<3>;\n.reg .pred %p;\nld.weak.shared.u32 %r1, [g];\n" +
           index + "mul.wide.u32 %d1, %r2, 4;\nmov.u64 %d2, a;\nadd.u64 %d1, %d1, %d2;\n" + code +
           "exit;\n}\n";
  };
  const std::string text = "PTX T\n{\n.global .u32 a[8];\n.shared .u32 g;\n}\n" +
                           thread("P0 @ cta 0, warp 0", access) + thread("P1 @ cta 0, warp 1", other) +
                           "exists (true)\n";
  return verdict_of_text(text);
}

TEST_CASE("addresses that open contents decide: each element that they may be of") {
  const std::string low = "and.b32 %r2, %r1, 3;\n", add = "red.relaxed.cta.global.add.u32 [%d1], 1;\n",
                    load = "ld.weak.global.u32 %r3, [%d1];\n", store = "st.weak.global.u32 [%d1], %r1;\n";
  CHECK(said_places(low, add, add) == Verdict::proven);
  CHECK(said_places(low, load, load) == Verdict::proven);
  CHECK(said_places(low, store, add) != Verdict::proven);
  CHECK(said_places(low, store, load) != Verdict::proven);
  CHECK(said_places(low, add, load) != Verdict::proven);
  // Others of the array
  CHECK(said_places(low, add, "ld.weak.global.u32 %r3, [a+16];\n") == Verdict::proven);
  CHECK(said_places(low, load, "st.weak.global.u32 [a+16], 1;\n") == Verdict::proven);
  CHECK(said_places(low, load, "st.weak.global.u32 [a+12], 1;\n") != Verdict::proven);
  CHECK(said_places(low, add, "ld.weak.global.u32 %r3, [a+12];\n") != Verdict::proven);
}

TEST_CASE("an address that may be outside of its object leaves the claim open") {
  const std::string add = "red.relaxed.cta.global.add.u32 [%d1], 1;\n";
  CHECK(said_places("and.b32 %r2, %r1, 7;\n", add, add) == Verdict::proven);
  CHECK(said_places("and.b32 %r2, %r1, 8;\n", add, add) != Verdict::proven);
  CHECK(said_places("mov.u32 %r2, %r1;\n", add, add) != Verdict::proven);
}

TEST_CASE("what is read at such an address is data, and decides as data does") {
  const std::string low = "and.b32 %r2, %r1, 3;\n";
  const std::string flag = "ld.weak.global.u32 %r3, [%d1];\nsetp.eq.u32 %p, %r3, 1;\n";
  CHECK(said_places(low, flag + "@%p st.weak.shared.u32 [g], 1;\n", flag) != Verdict::proven);
  CHECK(said_places(low, flag + "@%p st.weak.global.u32 [a+20], 1;\n", flag) == Verdict::proven);
}

}  // namespace
}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// Lanes that vote on open contents: who writes, and where, is then decided by what all of them told.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../launch/launched.h"
#include "dynamic/claim/claim.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

/// Is it a proof that 64 threads, which begin so, write an output of so many bytes? %r3 is the thread's word of an open input,
/// %p1 whether that is positive, %r4 the ballot of that in the warp, %r5 the lane, %r6 the lanes below; %rd4 the output.
bool proven_votes(const std::string& body, const std::string& bytes = "256") {
  launch::Words words;
  words.grid = "1";
  words.block = "64";
  words.arguments = {"in=buffer:256", "out=buffer:" + bytes};
  explore::VerificationTask task;
  static_cast<program::Program&>(task.test) = launch::launched(
      ".param .u64 p, .param .u64 q",
      ".reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
      "add.u64 %rd3, %rd1, %rd2; shr.u32 %r2, %r1, 5; mul.wide.u32 %rd5, %r2, 4; ld.global.u32 %r3, [%rd3];\n"
      "setp.gt.s32 %p1, %r3, 0; vote.sync.ballot.b32 %r4, %p1, -1; and.b32 %r5, %r1, 31;\n"
      "mov.u32 %r6, %lanemask_lt;\n" +
          body + "ret;",
      words, "");
  task.launched = true;
  VerifySettings settings;
  settings.steps = 1'000'000;
  return claim::verdict_of(verify(task, settings)->verified) == claim::Verdict::proven;
}

/// The word of the warp, or of the thread, is written where %p2 holds.
const std::string kOfWarp = "add.u64 %rd6, %rd4, %rd5; @%p2 st.global.u32 [%rd6], %r1;\n";

TEST_CASE("one lane of those that voted so writes") {
  const std::string first = "and.b32 %r7, %r4, %r6; setp.eq.and.b32 %p2, %r7, 0, %p1;\n";
  CHECK(proven_votes(first + kOfWarp));
  // The first lane as its number, the last one, the only one; and where there are none below.
  CHECK(
      proven_votes("brev.b32 %r7, %r4; bfind.shiftamt.u32 %r8, %r7; setp.eq.b32 %p2, %r8, %r5;\n" + kOfWarp));
  CHECK(proven_votes("clz.b32 %r7, %r4; sub.u32 %r8, 31, %r7; setp.eq.b32 %p2, %r8, %r5;\n" + kOfWarp));
  CHECK(proven_votes("mov.u32 %r7, %lanemask_eq; setp.eq.b32 %p2, %r7, %r4;\n" + kOfWarp));
  CHECK(proven_votes("and.b32 %r7, %r4, %r6; popc.b32 %r7, %r7; setp.eq.and.b32 %p2, %r7, 0, %p1;\n" +
                     kOfWarp));
  // All warps write one word.
  CHECK_FALSE(proven_votes(first + "@%p2 st.global.u32 [%rd4], %r1;\n"));
}

TEST_CASE("more lanes than one may write") {
  CHECK_FALSE(proven_votes("and.b32 %r7, %r4, %r6; setp.eq.b32 %p2, %r7, 0;\n" + kOfWarp));
  CHECK_FALSE(proven_votes("shr.u32 %r6, %r6, 1; and.b32 %r7, %r4, %r6; setp.eq.and.b32 %p2, %r7, 0, %p1;\n" +
                           kOfWarp));
  CHECK_FALSE(proven_votes(
      "and.b32 %r7, %r4, %r6; setp.ge.s32 %p3, %r3, 0; setp.eq.and.b32 %p2, %r7, 0, %p3;\n" + kOfWarp));
  CHECK_FALSE(proven_votes("and.b32 %r7, %r4, %r6; popc.b32 %r7, %r7; setp.le.and.u32 %p2, %r7, 1, %p1;\n" +
                           kOfWarp));
  // What is voted is the opposite.
  CHECK_FALSE(
      proven_votes("vote.sync.ballot.b32 %r4, !%p1, -1; and.b32 %r7, %r4, %r6; "
                   "setp.eq.and.b32 %p2, %r7, 0, %p1;\n" +
                   kOfWarp));
}

TEST_CASE("what one truth value says of all lanes") {
  // Where all are positive the first lane writes, else those that are not would: one of them, if it is the last.
  const std::string last = "setp.eq.u32 %p4, %r5, 31; and.pred %p5, !%p1, %p4; setp.eq.u32 %p6, %r5, 0;\n";
  CHECK(proven_votes("vote.sync.all.pred %p3, %p1, -1;\n" + last +
                     "and.pred %p7, %p3, %p6; or.pred %p2, %p5, %p7;\n" + kOfWarp));
  CHECK_FALSE(proven_votes("vote.sync.any.pred %p3, %p1, -1;\n" + last +
                           "and.pred %p7, %p3, %p6; or.pred %p2, %p5, %p7;\n" + kOfWarp));
  CHECK_FALSE(proven_votes("vote.sync.uni.pred %p3, %p1, -1;\n" + last +
                           "and.pred %p7, %p3, %p6; or.pred %p2, %p5, %p7;\n" + kOfWarp));
}

/// Each lane that is positive writes a word of those of its warp: the one with the number in %r8.
const std::string kPacks =
    "shl.b32 %r9, %r2, 5; add.u32 %r9, %r9, %r8; mul.wide.s32 %rd6, %r9, 4; add.u64 %rd7, %rd4, %rd6;\n"
    "@%p1 st.global.u32 [%rd7], %r1;\n";
const std::string kBelow = "and.b32 %r7, %r4, %r6; popc.b32 %r8, %r7;\n";

TEST_CASE("lanes write behind each other") {
  CHECK(proven_votes(kBelow + kPacks));
  CHECK(proven_votes(kBelow + "sub.u32 %r8, 31, %r8;\n" + kPacks));
  CHECK_FALSE(proven_votes(kBelow + "shr.u32 %r8, %r8, 1;\n" + kPacks));
  CHECK_FALSE(proven_votes(kBelow + "mov.u32 %r2, 0;\n" + kPacks));
  CHECK_FALSE(proven_votes("shr.u32 %r6, %r6, 1;\n" + kBelow + kPacks));
  CHECK_FALSE(proven_votes(kBelow + "setp.ge.s32 %p1, %r3, 0;\n" + kPacks));
  CHECK_FALSE(proven_votes(kBelow + "setp.ge.s32 %p1, %r3, 2; vote.sync.ballot.b32 %r4, %p1, -1;\n" + kBelow +
                           "setp.ge.s32 %p1, %r3, 0;\n" + kPacks));
  CHECK(proven_votes("mov.u32 %r6, %lanemask_le;\n" + kBelow + kPacks, "260"));
}

TEST_CASE("what they write may leave the buffer, or is not aligned") {
  CHECK_FALSE(proven_votes("mov.u32 %r6, %lanemask_le;\n" + kBelow + kPacks));
  CHECK_FALSE(proven_votes(kBelow + kPacks, "252"));
  CHECK_FALSE(proven_votes(kBelow +
                           "shl.b32 %r9, %r2, 7; mad.lo.s32 %r9, %r8, 2, %r9; cvt.u64.u32 %rd6, %r9;\n"
                           "add.u64 %rd7, %rd4, %rd6; @%p1 st.global.u32 [%rd7], %r1;\n"));
}

TEST_CASE("what is read there later may be what was there before") {
  // The other warp writes what the word does not say.
  const std::string reads = kBelow + kPacks +
                            "bar.sync 0; ld.global.u32 %r10, [%rd4]; setp.eq.u32 %p2, %r10, 0;\n"
                            "bar.sync 0; @%p2 st.global.u32 [%rd4], %r1;\n";
  CHECK_FALSE(proven_votes(reads));
}

}  // namespace
}  // namespace ptxmc::session

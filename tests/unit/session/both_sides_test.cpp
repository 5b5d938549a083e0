// SPDX-License-Identifier: Apache-2.0
// Branches that open contents decide: what is claimed of all schedules, and of all contents.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../contains.h"
#include "dynamic/claim/claim.h"
#include "explain/verify/claim_words.h"
#include "input/litmus/parse.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

using claim::Verdict;

struct Said {
  Verdict answer = Verdict::incomplete;
  std::string claim;
};

/// Two CTAs. The first has looked at an open word: in %p, whether it is 0, which a run takes it for.
Said said(const std::string& first, const std::string& second, bool both_sides = true) {
  const std::string text =
      "PTX T\n{\n.global .u32 x = 0;\n.global .u32 y = 0;\n.global .u32 c = 0;\n.shared .u32 d;\n}\n"
      "P0 @ cta 0 {\n.reg .u32 %r<9>;\n.reg .pred %p, %q;\nmov.u32 %r2, 0;\n"
      "ld.weak.shared.u32 %r1, [d];\nsetp.eq.u32 %p, %r1, 0;\n" +
      first + "exit;\n}\nP1 @ cta 1 {\n.reg .u32 %r<9>;\n.reg .pred %p;\n" + second +
      "exit;\n}\nexists (true)\n";
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  VerifySettings settings;
  settings.reductions.both_sides = both_sides;
  settings.steps = 100'000;
  const auto verification = verify(task, settings);
  const claim::Claim claim = claim_of(verification->verified);
  return {claim.verdict, explain::claim_text(verification->verified, claim)};
}
bool exact(const std::string& first, const std::string& second) {
  return said(first, second).answer == Verdict::proven;
}

const std::string kWritesX = "st.weak.global.u32 [x], 2;\n";
const std::string kWritesY = "st.weak.global.u32 [y], 2;\n";

TEST_CASE("a way that a run does not go") {
  const std::string skips = "@%p bra L;\nst.weak.global.u32 [x], 1;\nL:\n";
  const Said all = said(skips, kWritesY);
  CHECK(all.answer == Verdict::proven);
  CHECK(testing::contains(all.claim, "on buffer contents at line 14 (both sides were explored)"));
  CHECK(said(skips, kWritesY, false).answer == Verdict::incomplete);
  // It may race, but for contents that may not be: no finding.
  CHECK(said(skips, kWritesX).answer == Verdict::incomplete);
  CHECK(said("@!%p bra L;\nst.weak.global.u32 [x], 1;\nL:\n", kWritesX).answer == Verdict::violated);
}

TEST_CASE("both ways do something, and there are branches in them") {
  const std::string two =
      "@%p bra L;\nst.weak.global.u32 [x], 1;\nsetp.eq.u32 %q, %r1, 1;\n@%q bra E;\nst.weak.global.u32 [c], "
      "1;\nbra E;\n"
      "L:\nmov.u32 %r3, 3;\nT:\nst.weak.global.u32 [x], %r3;\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %q, %r3, 0;\n"
      "@%q bra T;\nE:\n";
  CHECK(exact(two, kWritesY));
  CHECK_FALSE(exact(two, "st.weak.global.u32 [c], 2;\n"));
}

TEST_CASE("registers and memory that a way writes rest on data behind it") {
  const std::string rests =
      "setp.eq.u32 %q, %r2, 0;\n@%q bra M;\nfence.acq_rel.gpu;\nst.weak.global.u32 [x], 1;\nM:\n";
  CHECK_FALSE(exact("@%p bra L;\nmov.u32 %r2, 1;\nL:\n" + rests, kWritesX));
  CHECK_FALSE(
      exact("@%p bra L;\nst.weak.global.u32 [c], 1;\nL:\nld.weak.global.u32 %r2, [c];\n" + rests, kWritesX));
  CHECK_FALSE(
      exact("@%p red.relaxed.gpu.global.add.u32 [c], 0;\nld.weak.global.u32 %r2, [c];\n" + rests, kWritesX));
  // By the way that is gone, too.
  CHECK_FALSE(exact("@!%p bra L;\nmov.u32 %r2, 0;\nL:\n" + rests, kWritesX));
  CHECK(exact(rests, kWritesX));
}

TEST_CASE("what orders something is not taken aside") {
  CHECK_FALSE(exact("@%p bra L;\nfence.acq_rel.gpu;\nL:\n", kWritesY));
  CHECK_FALSE(exact("@%p bra L;\nst.relaxed.gpu.global.u32 [x], 1;\nL:\n", kWritesY));
  CHECK_FALSE(exact("@%p bar.sync 0, 32;\n", kWritesY));
  CHECK_FALSE(exact("@%p exit;\nbar.sync 0, 32;\n", kWritesY));
  CHECK_FALSE(exact("T:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 3;\n@%p bra T;\n", kWritesY));
}

TEST_CASE("atomics whose results nobody looks at") {
  const std::string counts = "@%p bra L;\nred.relaxed.gpu.global.add.u32 [c], 1;\nL:\n";
  CHECK(exact(counts, "red.relaxed.gpu.global.add.u32 [c], 1;\n"));
  CHECK(exact("@%p bra L;\natom.relaxed.gpu.global.add.u32 %r5, [c], 1;\nL:\n",
              "red.relaxed.gpu.global.add.u32 [c], 1;\n"));
  CHECK_FALSE(exact(counts, kWritesY + "st.weak.global.u32 [c], 1;\n"));
  // Somebody looks at what they leave: whether there is something rests on data.
  const std::string looks =
      "atom.acq_rel.gpu.global.add.u32 %r5, [c], 1;\nsetp.ne.u32 %p, %r5, 0;\n@%p bra L;\nst.weak.global.u32 "
      "[x], 1;\nL:\n";
  CHECK_FALSE(exact(counts, looks));
  CHECK_FALSE(
      exact(counts, "L:\nld.acquire.gpu.global.u32 %r5, [c];\nsetp.ne.u32 %p, %r5, 0;\n@%p bra L;\n"));
}

TEST_CASE("guards, and early ends") {
  CHECK(exact("@!%p st.weak.global.u32 [x], 1;\n", kWritesY));
  CHECK(exact("@%p st.weak.global.u32 [x], 1;\n", kWritesY));
  CHECK_FALSE(exact("@!%p st.weak.global.u32 [x], 1;\n", kWritesX));
  CHECK(exact("@%p exit;\nst.weak.global.u32 [x], 1;\n", kWritesY));
  CHECK_FALSE(exact("@%p exit;\nst.weak.global.u32 [x], 1;\n", kWritesX));
  CHECK(exact("@%p bra L;\nst.weak.global.u32 [x], 1;\nexit;\nL:\nst.weak.global.u32 [c], 1;\n", kWritesY));
}

}  // namespace
}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// What memory and registers hold at first: claims about all that it may be.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "dynamic/claim/claim.h"
#include "input/litmus/parse.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

using claim::Verdict;

/// Two threads of a CTA: the second waits for the flag, and reads what the first has written.
Verdict handed_over(const std::string& memory, const std::string& clears, const std::string& space) {
  const std::string wait =
      "L:\nld.acquire.gpu." + space + ".u32 %r1, [f];\nsetp.ne.u32 %p, %r1, 1;\n@%p bra L;\n";
  const std::string text =
      "PTX T\n{\n" + memory +
      ".global .u32 x = 0;\n.global .opaque .u32 d;\n}\nP0 @ cta 0 {\n.reg .u32 %r<9>;\n" + clears +
      "bar.sync 0;\nst.weak.global.u32 [x], 1;\nst.release.gpu." + space +
      ".u32 [f], 1;\n}\nP1 @ cta 0 {\n.reg .u32 %r<9>;\n.reg .pred %p;\nbar.sync 0;\n" + wait +
      "ld.weak.global.u32 %r2, [x];\n}\nexists (true)\n";
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  VerifySettings settings;
  settings.steps = 100'000;
  return claim_of(verify(task, settings)->verified).verdict;
}

const std::string kUnset = ".shared .u32 f;\n", kZero = ".shared .u32 f = 0;\n";

TEST_CASE("a flag that nothing has written may be there at first") {
  CHECK(handed_over(kUnset, "", "shared") == Verdict::violated);
  CHECK(handed_over(kZero, "", "shared") == Verdict::proven);
  CHECK(handed_over(".global .u32 f = 0;\n", "", "global") == Verdict::proven);
  CHECK(handed_over(".global .opaque .u32 f;\n", "", "global") != Verdict::proven);
}

TEST_CASE("but not where a write is ordered before the loop") {
  CHECK(handed_over(kUnset, "st.weak.shared.u32 [f], 0;\n", "shared") == Verdict::proven);
  CHECK(handed_over(kUnset, "st.weak.shared.u32 [f], 1;\n", "shared") == Verdict::violated);
}

TEST_CASE("a flag that begins as data may hold what the loop waits for") {
  const std::string data = "ld.weak.global.u32 %r1, [d];\n";
  CHECK(handed_over(kUnset, data + "st.weak.shared.u32 [f], %r1;\n", "shared") != Verdict::proven);
  CHECK(handed_over(kUnset, data + "and.b32 %r1, %r1, 2;\nst.weak.shared.u32 [f], %r1;\n", "shared") ==
        Verdict::proven);
}

}  // namespace
}  // namespace ptxmc::session

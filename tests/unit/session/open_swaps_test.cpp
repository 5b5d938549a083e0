// SPDX-License-Identifier: Apache-2.0
// Swaps that fail with the contents of a run, and succeed with others: a write that no run has made races all the same.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "dynamic/claim/claim.h"
#include "input/litmus/parse.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

using claim::Verdict;

/// Two threads of one CTA. `contents`: those of d, "" where nothing says.
Verdict verdict_with(const std::string& contents, const std::string& first, const std::string& second) {
  const std::string text = "PTX T\n{\n.shared .u32 d" + contents +
                           ";\n.shared .u32 e;\n}\n"
                           "P0 @ cta 0 {\n.reg .u32 %r<9>;\n" +
                           first + "exit;\n}\nP1 @ cta 0 {\n.reg .u32 %r<9>;\n" + second +
                           "exit;\n}\nexists (true)\n";
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
  VerifySettings settings;
  settings.steps = 100'000;
  return claim::verdict_of(verify(task, settings)->verified);
}

const std::string kWeakRead = "ld.weak.shared.u32 %r1, [d];\n";
const std::string kSwap = "atom.relaxed.cta.shared.cas.b32 %r1, [d], 12345, 9;\n";

}  // namespace

TEST_CASE("a swap that some contents let succeed races with a weak read") {
  CHECK(verdict_with("", kWeakRead, kSwap) != Verdict::proven);
  CHECK(verdict_with("", kSwap, kWeakRead) != Verdict::proven);
  CHECK(verdict_with(" = 0", kWeakRead, kSwap) == Verdict::proven);
  CHECK(verdict_with(" = 0", kWeakRead,
                     "ld.weak.shared.u32 %r2, [e];\natom.relaxed.cta.shared.cas.b32 %r1, [d], %r2, 9;\n") !=
        Verdict::proven);
}

TEST_CASE("such a swap races with nothing that is morally strong, or ordered") {
  CHECK(verdict_with("", "ld.relaxed.cta.shared.u32 %r1, [d];\n", kSwap) == Verdict::proven);
  CHECK(verdict_with("", kWeakRead + "bar.sync 0, 64;\n", "bar.sync 0, 64;\n" + kSwap) == Verdict::proven);
  CHECK(verdict_with("", "bar.sync 0, 64;\n" + kWeakRead, kSwap + "bar.sync 0, 64;\n") == Verdict::proven);
}

TEST_CASE("another read of the thread does not hide it") {
  const std::string again = "ld.relaxed.cta.shared.u32 %r2, [d];\nld.weak.shared.u32 %r3, [d];\n";
  CHECK(verdict_with("", kSwap + again, kWeakRead) != Verdict::proven);
}

}  // namespace ptxmc::session

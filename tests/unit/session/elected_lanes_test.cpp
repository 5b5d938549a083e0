// SPDX-License-Identifier: Apache-2.0
// What is proven is proven for each lane that elect.sync may elect (R227): in all orders, not in one run of each.
#include "dynamic/explore/elected_lanes.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "dynamic/claim/claim.h"
#include "input/litmus/parse.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

using claim::Verdict;

Verdict verdict_of(const std::string& memory, const std::string& first, const std::string& second,
                   const std::string& other = {}) {
  const auto text_of = [](const std::string& name, const std::string& place, const std::string& code) {
    return code.empty() ? code
                        : name + " @ " + place + " {\n.reg .u32 %r<9>;\n.reg .pred %p, %q;\n" + code + "}\n";
  };
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(
      Source{"t.litmus", "PTX T\n{\n.global .u32 d = 0;\n" + memory + "}\n" +
                             text_of("P0", "cta 0, warp 0, lane 0", first) +
                             text_of("P1", "cta 0, warp 0, lane 1", second) +
                             text_of("P2", "cta 1, warp 0, lane 0", other) + "exists (true)\n"}));
  VerifySettings settings;
  settings.steps = 100'000;
  return claim_of(verify(task, settings)->verified).verdict;
}

const std::string kElect = "elect.sync %r5|%p, 3;\n", kWriteData = "st.weak.global.u32 [d], 1;\n";

}  // namespace

TEST_CASE("a loop that waits takes no more than it does in all schedules, whichever lane is elected") {
  const auto judged = [](const std::string& flag) {
    return verdict_of(".shared .u32 f" + flag + ";\n",
                      "ld.weak.global.u32 %r1, [d];\nst.release.cta.shared.u32 [f], 1;\n" + kElect,
                      "L:\nld.acquire.cta.shared.u32 %r1, [f];\nsetp.ne.u32 %q, %r1, 1;\n@%q bra L;\n" +
                          kElect + "@%p " + kWriteData);
  };
  CHECK(judged(" = 1") != Verdict::proven);
  CHECK(judged("") != Verdict::proven);
  CHECK(judged(" = 0") == Verdict::proven);
}

TEST_CASE("contended accesses take all their orders, whichever lane is elected") {
  const std::string count = "atom.relaxed.gpu.global.add.u32 %r1, [c], 1;\nsetp.eq.u32 %q, %r1, 1;\n",
                    leave = "E: exit;\n";
  const auto judged = [&](const std::string& access) {
    const std::string elected = kElect + "@!%p bra E;\n" + count + "@!%q bra E;\n";
    return verdict_of(".global .u32 c = 0;\n", elected + "mov.u32 %r2, 1;\n" + leave,
                      elected + access + leave,
                      kWriteData + count + "@!%q bra E;\nmov.u32 %r2, 1;\n" + leave);
  };
  CHECK(judged("ld.weak.global.u32 %r2, [d];\n") != Verdict::proven);
  CHECK(judged("mov.u32 %r2, 1;\n") == Verdict::proven);
}

TEST_CASE("what a proof takes as given because of another run is named") {
  claim::VerifyResult shown, verified;
  shown.outcome.apart = {1};
  shown.outcome.own_lanes = {4};
  shown.outcome.ranks = {2};
  shown.outcome.both_sides = {3};
  explore::Runs runs;
  explore::add_run(shown, {}, verified, runs);
  CHECK(verified.outcome.apart.contains(1));
  CHECK(verified.outcome.own_lanes.contains(4));
  CHECK(verified.outcome.ranks.contains(2));
  CHECK(verified.outcome.both_sides.contains(3));
}

}  // namespace ptxmc::session

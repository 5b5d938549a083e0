// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/runs.h"

#include <doctest/doctest.h>

#include <utility>

#include "finding/rules.h"

namespace ptxmc::session {

TEST_CASE("what a run shows without another elected lane does not depend on it, whichever run came first") {
  claim::VerifyResult by_lane, plain, verified;
  by_lane.findings.emplace_back().elected = 31;
  by_lane.outcome.faults.push_back({.rule = finding::RuleId::out_of_bounds, .what = "", .elected = 31});
  plain.findings.emplace_back();
  plain.outcome.faults.push_back({.rule = finding::RuleId::out_of_bounds, .what = ""});
  explore::Runs runs;
  explore::add_run(by_lane, {}, verified, runs);
  CHECK(verified.findings.front().elected == 31U);
  explore::add_run(plain, {}, verified, runs);
  REQUIRE(verified.findings.size() == 1);
  REQUIRE(verified.outcome.faults.size() == 1);
  CHECK(!verified.findings.front().elected);
  CHECK(!verified.outcome.faults.front().elected);
  CHECK(runs.shown_by.front() == 1);
  explore::add_run(by_lane, {}, verified, runs);
  CHECK(!verified.findings.front().elected);
}

}  // namespace ptxmc::session

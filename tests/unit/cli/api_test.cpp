// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "ptxmc/ptxmc.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

TEST_CASE("the public interface") {
  const api::Checker checker;
  const api::Result allowed = checker.check(mp("A", false, "Verdict=Allowed\n"));
  CHECK(allowed.name == "A");
  CHECK(allowed.answer == api::Answer::allowed);
  CHECK(allowed.verdict_met == true);
  CHECK(allowed.complete);
  REQUIRE(allowed.states.size() == 4);
  CHECK(allowed.states[0].values ==
        std::vector<std::pair<std::string, std::string>>{{"1:r0", "0"}, {"1:r1", "0"}});
  CHECK(allowed.report.starts_with("Test A Allowed\nStates 4\n"));
  CHECK(allowed.problems.empty());

  const api::Result forbidden = checker.check(mp("F", true));
  CHECK(forbidden.answer == api::Answer::forbidden);
  CHECK_FALSE(forbidden.verdict_met);
  CHECK(forbidden.states.size() == 3);
}

TEST_CASE("bad tests are diagnostics, bad models exceptions") {
  const api::Checker checker;
  const api::Result bad = checker.check("PTX B\n{ }\n P0 ;\n frobnicate r0 ;\nexists (0:r0=1)\n", "b.litmus");
  CHECK(bad.answer == api::Answer::error);
  REQUIRE(!bad.diagnostics.empty());
  CHECK(bad.diagnostics[0].line == 4);
  api::Options options;
  options.model = "ptx-nonesuch";
  CHECK_THROWS_AS(api::Checker{options}, std::invalid_argument);
  CHECK(api::profiles().size() >= 4);
}

TEST_CASE("options of the public interface") {
  api::Options options;
  options.model = "ptx-6.0";
  options.engine = api::Engine::both;
  options.verdict_only = true;
  const api::Result result = api::Checker(options).check(mp("A", false));
  CHECK(result.answer == api::Answer::allowed);
  CHECK(result.states.size() == 1);
  CHECK(result.problems.empty());
}

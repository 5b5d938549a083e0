// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "../contains.h"
#include "../message_passing.h"
#include "ptxmc/ptxmc.h"

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

TEST_CASE("readings of the public interface") {
  const std::string fenced =
      "PTX fenced\n{ x=0; y=0; }\n"
      " P0 @ cta 0          | P1 @ cta 1           ;\n"
      " st.weak x, 1        | ld.acquire.gpu r0, y ;\n"
      " fence.sc.gpu        | ld.weak r1, x        ;\n"
      " st.relaxed.gpu y, 1 |                      ;\n"
      "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
  CHECK(api::Checker().check(fenced).answer == api::Answer::forbidden);
  api::Options options;
  options.readings = {"fence-sc=only-sc"};
  CHECK(api::Checker(options).check(fenced).answer == api::Answer::allowed);
  options.readings = {"fence-sc"};
  CHECK_THROWS_AS(api::Checker{options}, std::invalid_argument);
}

TEST_CASE("options that make no sense are exceptions") {
  api::Options options;
  options.timeout = 0;
  CHECK_THROWS_AS(api::Checker{options}, std::invalid_argument);
  options.timeout.reset();
  options.unroll = 0;
  CHECK_THROWS_AS(api::Checker{options}, std::invalid_argument);
}

namespace {

/// The value that an event reads or writes; none: it is not there.
std::string value_of(const api::Witness& witness, const std::string& text) {
  const auto event = std::find_if(witness.events.begin(), witness.events.end(),
                                  [&](const api::Event& e) { return e.text == text; });
  return event == witness.events.end() ? "" : event->value;
}

}  // namespace

TEST_CASE("the deciding state has an execution") {
  const api::Result result = api::Checker().check(mp("A", false));
  REQUIRE(result.deciding);
  CHECK(result.states[*result.deciding].satisfied);
  REQUIRE(result.witness);
  const api::Witness& witness = *result.witness;
  CHECK(value_of(witness, "ld.relaxed.gpu r0, flag") == "1");
  CHECK(value_of(witness, "ld.weak r1, data") == "0");
  REQUIRE(witness.reads_from.size() == 2);
  for (const auto& [from, to] : witness.reads_from) {
    CHECK(witness.events.at(from).value == witness.events.at(to).value);
    CHECK(witness.events.at(from).location == witness.events.at(to).location);
    CHECK(witness.events.at(to).thread == 1);
    CHECK(witness.events.at(to).line > 0);
  }
  CHECK(witness.program_order.size() == 2);
  CHECK_FALSE(result.states[0].witness);

  api::Options options;
  options.witnesses = true;
  for (const api::State& state : api::Checker(options).check(mp("A", false)).states) CHECK(state.witness);
}

TEST_CASE("executions have pictures where they are asked for") {
  const std::string test = mp("A", false);
  CHECK(api::Checker().check(test).witness->svg.empty());
  api::Options options;
  options.pictures = true;
  const api::Checker checker(options);
  const auto is_picture = [](const std::optional<api::Witness>& witness) {
    return witness && witness->svg.starts_with("<svg") && contains(witness->svg, "data=1");
  };
  CHECK(is_picture(checker.check(test).witness));
  CHECK(is_picture(checker.races(test).findings.at(0).witness));
  CHECK(is_picture(checker.explain(mp("F", true)).axioms.at(0).witness));
}

TEST_CASE("models from text") {
  api::Options options;
  options.model_text = api::model_text("sc");
  CHECK(api::Checker(options).check(mp("A", false)).answer == api::Answer::forbidden);
  options.model_text = "include \"ptx.cat\"\n";
  CHECK(api::Checker(options).check(mp("A", false)).answer == api::Answer::allowed);
  options.model = "mine.cat";
  options.model_text = "let x = ";
  try {
    const api::Checker checker(options);
    FAIL("it was read");
  } catch (const std::invalid_argument& error) {
    CHECK(contains(error.what(), "mine.cat:1:"));
  }
  CHECK_THROWS_AS(api::model_text("ptx-nonesuch"), std::invalid_argument);
}

TEST_CASE("what a text is warned of") {
  const api::Result result =
      api::Checker().check("PTX W\n{ x=0; }\n P0 ;\n st.weak x, r9 ;\nexists (x == 1)\n");
  CHECK(result.answer == api::Answer::forbidden);
  REQUIRE(!result.warnings.empty());
  CHECK(result.warnings[0].severity == api::Severity::warning);
  CHECK(result.warnings[0].line == 4);
  CHECK(contains(result.warnings[0].message, "r9"));
}

TEST_CASE("races, and what is missing") {
  const api::Checker checker;
  const api::RaceResult racy = checker.races(mp("A", false));
  CHECK(racy.answer == api::RaceAnswer::racy);
  REQUIRE(racy.findings.size() == 1);
  const api::Finding& race = racy.findings[0];
  CHECK(race.rule == "race");
  CHECK(race.certain);
  REQUIRE(race.places.size() == 2);
  CHECK(race.places[0].thread == "P0");
  CHECK(race.places[0].text == "st.weak data, 1");
  CHECK(!race.missing.empty());
  CHECK(!race.advice.empty());
  CHECK(race.witness);
  CHECK(racy.report.starts_with("Test A Racy 1\n"));

  const std::string awaited = mp("F", true, "", "filter (P1:r0 == 1) exists (P1:r1 == 0)");
  CHECK(checker.races(awaited).answer == api::RaceAnswer::race_free);
  CHECK(checker.races("PTX B\n").answer == api::RaceAnswer::error);
}

TEST_CASE("who waits for ever") {
  const auto polls = [](const std::string& store) {
    return "PTX L\n{ flag=0; }\nP0 @ cta 0 {\n  " + store +
           ";\n}\nP1 @ cta 1 {\nL:\n  ld.relaxed.gpu r0, flag;\n  setp.ne.u32 %p, r0, 1;\n  @%p bra L;\n}\n";
  };
  const api::Checker checker;
  const api::LivenessResult ends = checker.liveness(polls("st.relaxed.gpu flag, 1"));
  CAPTURE(ends.unknown);
  CHECK_FALSE(ends.refused);
  CHECK(ends.hangs == false);
  CHECK(ends.findings.empty());
  const api::LivenessResult hangs = checker.liveness(polls("st.weak flag, 1"));
  CHECK(hangs.hangs == true);
  REQUIRE(!hangs.findings.empty());
  CHECK(hangs.findings[0].rule == "hang");
  CHECK(hangs.findings[0].witness);
  CHECK(contains(hangs.report, "forever"));
  CHECK(checker.liveness("PTX B\n").refused);
}

TEST_CASE("why an outcome is forbidden") {
  const api::Checker checker;
  const api::Explanation forbidden = checker.explain(mp("F", true));
  CHECK(forbidden.kind == api::Explanation::Kind::forbidden);
  REQUIRE(forbidden.axioms.size() == 1);
  CHECK(forbidden.axioms[0].axiom == "Causality");
  CHECK(!forbidden.axioms[0].steps.empty());
  CHECK(forbidden.axioms[0].witness);
  CHECK(contains(forbidden.report, "Causality"));
  const api::Explanation allowed = checker.explain(mp("A", false));
  CHECK(allowed.kind == api::Explanation::Kind::reachable);
  CHECK(allowed.witness);
}

namespace {

/// So many threads that each write and read one location: their states are too many to list.
std::string crowd(int threads) {
  std::string code, condition;
  for (int i = 0; i < threads; ++i) {
    const std::string number = std::to_string(i);
    code += "P" + number + " @ cta " + number + " {\n  st.relaxed.gpu x, " + std::to_string(i + 1) +
            ";\n  ld.relaxed.gpu r0, x;\n}\n";
    condition += (i == 0 ? "P" : " /\\ P") + number + ":r0 == 0";
  }
  return "PTX crowd\n{ x=0; }\n" + code + "exists (" + condition + ")\n";
}

/// A sum over loads, each of which may see one of several values: too many to list soon. No sum is what is asked for.
std::string sums() {
  constexpr int kLoads = 10;
  std::string loads, stores;
  for (int i = 1; i <= kLoads; ++i) {
    loads += "  ld.relaxed.gpu.u32 %r0, [x];\n  mad.lo.u32 %r1, %r1, 3, %r0;\n";
    stores += "  st.relaxed.gpu.u32 [x], " + std::to_string(i) + ";\n";
  }
  return "PTX sums\n{ .global .u32 x = 0; .global .u32 y = 0; }\nP0 @ cta 0 {\n" + loads +
         "  st.relaxed.gpu.u32 [y], %r1;\n}\nP1 @ cta 1 {\n" + stores + "}\nexists (y == 1000000)\n";
}

}  // namespace

TEST_CASE("work that was called off says so") {
  std::stop_source off;
  off.request_stop();
  const api::Checker checker;
  const std::string text = mp("A", false);
  CHECK(checker.check(text, "a", off.get_token()).answer == api::Answer::unknown);
  CHECK(checker.check(text, "a", off.get_token()).unknown == "cancelled");
  CHECK(checker.races(text, "a", off.get_token()).answer == api::RaceAnswer::unknown);
  CHECK(checker.explain(text, "a", off.get_token()).kind == api::Explanation::Kind::unknown);
}

TEST_CASE("work is called off from another thread") {
  const auto soon = [](std::stop_source& off) {
    return std::jthread([&off] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      off.request_stop();
    });
  };
  api::Options options;
  options.engine = api::Engine::smt;  // Z3 itself is interrupted
  std::stop_source solver;
  {
    const std::jthread stops = soon(solver);
    const api::Result result = api::Checker(options).check(sums(), "sums", solver.get_token());
    CHECK(result.answer == api::Answer::unknown);
    CHECK(result.unknown == "cancelled");
  }
  options.engine = api::Engine::explicit_;
  std::stop_source search;
  const std::jthread stops = soon(search);
  CHECK_FALSE(api::Checker(options).check(crowd(10), "crowd", search.get_token()).complete);
}

TEST_CASE("time that is over says so") {
  api::Options options;
  options.timeout = 0.05;
  const api::Result result = api::Checker(options).check(sums());
  CHECK(result.answer == api::Answer::unknown);
  CHECK(result.unknown == "timeout");
}

TEST_CASE("the version") {
  CHECK(api::version() == "0.1.0");
}

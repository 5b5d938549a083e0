// SPDX-License-Identifier: Apache-2.0
#include "session/auto.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "axiomatic/engine/count.h"

using namespace ptxmc;
using session::decide_auto;
using session::Decision;

namespace {

engine::Result answer(std::size_t states, bool complete, const std::string& unknown = "") {
  engine::Result out;
  out.states.resize(states);
  out.complete = complete;
  out.unknown = unknown;
  return out;
}

/// A search that does `whole` units of work and finds one state at its end, and a solver that needs so many steps.
struct ResumeState {
  double whole = 0;
  std::uint64_t needed = 0;
  engine::Result end = answer(1, true);
  std::vector<double> polls = {};
  std::vector<engine::Effort> efforts = {};  // of the solver's chances

  Decision decide() {
    const event::ProgramGraph graph;
    const event::BaseValues base;
    const relation::MemoryModel model;
    const engine::Query query{.graph = graph,
                              .base = base,
                              .signature = event::base_signature(),
                              .model = model,
                              .ask = engine::Ask::states};
    return decide_auto(query, {[this](const engine::Query& q) { return search(q); },
                               [this](const engine::Query& q) { return solve(q); }});
  }
  engine::Result search(const engine::Query& query) {
    for (double work = 0; work < whole; work += 1e6) {
      polls.push_back(work);
      if (query.stalled(work)) return answer(0, false, std::string(engine::kStalled));
    }
    return end;
  }
  engine::Result solve(const engine::Query& query) {
    efforts.push_back(query.effort.value_or(engine::Effort{~std::size_t{0}, ~0U}));
    const bool enough = efforts.back().steps >= needed;
    return enough ? answer(2, true) : answer(0, false, "effort");
  }
};

}  // namespace

TEST_CASE("auto: a search that ends soon is the answer, and the solver is not asked") {
  ResumeState course{5e7};
  const Decision decision = course.decide();
  CHECK(decision.engine == "explicit");
  CHECK(decision.result.states.size() == 1);
  CHECK(course.efforts.empty());
}

TEST_CASE("auto: a solver that answers within a fraction of the work done is the answer") {
  ResumeState course{1e12};
  const Decision decision = course.decide();
  CHECK(decision.engine == "smt");
  CHECK(decision.result.complete);
  CHECK(decision.result.states.size() == 2);
  REQUIRE(course.efforts.size() == 1);
  CHECK(course.polls.back() == doctest::Approx(6e7));
  CHECK(course.efforts.front().steps <= course.polls.back());
}

TEST_CASE("auto: the solver's chances grow with the work, and the search goes on between them") {
  ResumeState course{1e12, 200'000'000};
  CHECK(course.decide().engine == "smt");
  REQUIRE(course.efforts.size() == 3);
  for (std::size_t i = 1; i < course.efforts.size(); ++i) {
    CHECK(course.efforts[i].steps > 3 * course.efforts[i - 1].steps);
    CHECK(course.efforts[i].literals >= course.efforts[i - 1].literals);
  }
  // The same counts, the same course.
  ResumeState again{1e12, 200'000'000};
  again.decide();
  CHECK(again.polls == course.polls);
}

TEST_CASE("auto: a search that ends before the solver can is the answer") {
  ResumeState course{3e9, 4'000'000'000};
  const Decision decision = course.decide();
  CHECK(decision.engine == "explicit");
  CHECK(decision.result.states.size() == 1);
  CHECK(course.efforts.size() == 3);
}

TEST_CASE("auto: where the search gives up, the solver has all the time; where time is over, nobody has") {
  ResumeState gives_up{1e6, 1, answer(0, false, "value-cycle")};
  CHECK(gives_up.decide().engine == "smt");
  CHECK(gives_up.efforts.size() == 1);
  ResumeState late{1e6, 1, answer(3, false, "timeout")};
  const Decision decision = late.decide();
  CHECK(decision.engine == "explicit");
  CHECK(decision.result.states.size() == 3);
  CHECK(late.efforts.empty());
  ResumeState many{1e6, 1, answer(0, false, engine::kUncountable)};
  CHECK(many.decide().engine == "explicit");
  CHECK(many.efforts.empty());
}

TEST_CASE("auto: of two lists that are not complete, the longer one") {
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  ResumeState longer{1e6, kNever, answer(3, false, "value-cycle")};
  const Decision decision = longer.decide();
  CHECK(decision.engine == "explicit");
  CHECK(decision.result.states.size() == 3);
  CHECK(longer.efforts.size() == 1);
}

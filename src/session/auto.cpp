// SPDX-License-Identifier: Apache-2.0
// Choosing an engine.
//
// Most litmus tests are small, and the explicit engine answers them in less time than a solver context takes
// to make. Where it stops finding anything new, its search may explode, and there the solver often wins;
// where states keep coming, the answer is long and the solver would be slower still. So `auto` lets the
// explicit engine search, and when it has worked for long without a new state, asks the solver in between,
// within an effort that is a fraction of the work done so far: an encoding of so many literals, so many steps
// of Z3. When the solver answers, that is the answer; else the search goes on where it was, and the solver
// gets its next, larger chance when the work has multiplied. Work and effort are counts, so that the course
// of a query does not depend on the machine or its load. Loss at worst: the fraction.
#include "session/auto.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/engine/smt/smt.h"
#include "axiomatic/event/base.h"
#include "axiomatic/recheck/agree.h"

namespace ptxmc::session {

namespace {

constexpr double kFirstWork = 6e7;  // of the explicit engine: about a second
constexpr double kGrowth = 4;       // from one chance of the solver to the next
constexpr double kLiterals = 0.05;  // of the encoding, for a unit of work
constexpr double kSteps = 0.25;     // of Z3, for a unit of work
constexpr double kMostSteps = 4e9;  // what Z3's counter holds

engine::Effort effort_after(double work) {
  const double literals = std::min(kLiterals * work, static_cast<double>(std::size_t{1} << 26));
  return {static_cast<std::size_t>(literals), static_cast<unsigned>(std::min(kSteps * work, kMostSteps))};
}

engine::Result solve(EngineChoice engine, const engine::Query& query,
                     const engine::Specialiser* specialiser) {
  const auto solver = engine == EngineChoice::smt ? engine::smt::solve : engine::explicit_::solve;
  return specialiser != nullptr ? specialiser->solve(query, solver) : solver(query);
}

Decision decide_both(const engine::Query& query, const engine::Specialiser* specialiser) {
  engine::Result first = solve(EngineChoice::explicit_, query, specialiser);
  engine::Result second = solve(EngineChoice::smt, query, specialiser);
  Decision out{{}, "both", check::differences(query, "explicit", first, "smt", second)};
  std::map<std::string, double> statistics;
  for (const auto& [name, value] : first.statistics) statistics["explicit." + name] = value;
  for (const auto& [name, value] : second.statistics) statistics["smt." + name] = value;
  const bool take_second = !first.complete && (second.complete || second.states.size() > first.states.size());
  out.result = take_second ? std::move(second) : std::move(first);
  out.result.statistics = std::move(statistics);
  return out;
}

}  // namespace

Decision decide_auto(const engine::Query& query, const Engines& engines) {
  std::optional<engine::Result> second;
  double chance = kFirstWork;
  engine::Query watched = query;
  watched.stalled = [&](double work) {
    if (work < chance) return false;
    chance *= kGrowth;
    engine::Query bounded = query;
    bounded.effort = effort_after(work);
    second = engines.solver(bounded);
    return second->complete;
  };
  engine::Result first = engines.search(watched);
  if (second && second->complete) return {std::move(*second), "smt", {}};
  // Phases are listed for both engines in the same way.
  const auto& why = first.unknown;
  if (first.complete || why == "timeout" || why == "memory" || why == event::kTooManyPhases ||
      why == engine::kUncountable)
    return {std::move(first), "explicit", {}};
  second = engines.solver(query);
  if (second->complete || second->states.size() >= first.states.size())
    return {std::move(*second), "smt", {}};
  return {std::move(first), "explicit", {}};
}

Decision decide(const engine::Query& query, EngineChoice choice, const engine::Specialiser* specialiser) {
  switch (choice) {
    case EngineChoice::explicit_:
      return {solve(choice, query, specialiser), "explicit", {}};
    case EngineChoice::smt:
      return {solve(choice, query, specialiser), "smt", {}};
    case EngineChoice::auto_:
      return decide_auto(
          query, {[&](const engine::Query& q) { return solve(EngineChoice::explicit_, q, specialiser); },
                  [&](const engine::Query& q) { return solve(EngineChoice::smt, q, specialiser); }});
    case EngineChoice::both:
      return decide_both(query, specialiser);
  }
  return {};
}

}  // namespace ptxmc::session

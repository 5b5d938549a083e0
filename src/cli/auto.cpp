// SPDX-License-Identifier: Apache-2.0
// Choosing an engine.
//
// Most litmus tests are small, and the explicit engine answers them in less time than a solver context takes
// to make. Where it stops finding anything new, its search explodes, and there the solver usually wins; where
// states keep coming, the answer is long and the solver would be slower still. So `auto` lets the explicit
// engine go on while it finds states, and asks the solver with the time that is left when it has been silent
// for a moment. That measures what no count of events, paths or reads-from candidates predicts. Loss at
// worst: the time until it fell silent.
#include "cli/auto.h"

#include <chrono>
#include <utility>

#include "check/agree.h"
#include "engine/explicit/explicit.h"
#include "engine/smt/smt.h"

namespace ptxmc::cli {

namespace {

constexpr double kPatience = 1.0;  // seconds without a new state

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

engine::Query with_limit(const engine::Query& query, std::optional<double> limit,
                         std::optional<double> patience = std::nullopt) {
  return {query.graph, query.base, query.signature, query.model, query.ask,
          query.flag,  limit,      query.witnesses, patience};
}

engine::Result solve(EngineChoice engine, const engine::Query& query,
                     const engine::Specialiser* specialiser) {
  const auto solver = engine == EngineChoice::smt ? engine::smt::solve : engine::explicit_::solve;
  return specialiser != nullptr ? specialiser->solve(query, solver) : solver(query);
}

Decision decide_auto(const engine::Query& query, const engine::Specialiser* specialiser) {
  const Clock::time_point start = Clock::now();
  engine::Result first =
      solve(EngineChoice::explicit_, with_limit(query, query.time_limit, kPatience), specialiser);
  if (first.complete) return {std::move(first), "explicit", {}};
  std::optional<double> left;
  if (query.time_limit) left = *query.time_limit - seconds_since(start);
  if (left && *left <= 0) return {std::move(first), "explicit", {}};
  engine::Result second = solve(EngineChoice::smt, with_limit(query, left), specialiser);
  if (second.complete || second.states.size() >= first.states.size()) return {std::move(second), "smt", {}};
  return {std::move(first), "explicit", {}};
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

Decision decide(const engine::Query& query, EngineChoice choice, const engine::Specialiser* specialiser) {
  switch (choice) {
    case EngineChoice::explicit_:
      return {solve(choice, query, specialiser), "explicit", {}};
    case EngineChoice::smt:
      return {solve(choice, query, specialiser), "smt", {}};
    case EngineChoice::auto_:
      return decide_auto(query, specialiser);
    case EngineChoice::both:
      return decide_both(query, specialiser);
  }
  return {};
}

}  // namespace ptxmc::cli

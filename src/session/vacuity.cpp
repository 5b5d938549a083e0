// SPDX-License-Identifier: Apache-2.0
#include "session/vacuity.h"

#include <fmt/format.h>

#include "session/auto.h"

namespace ptxmc::session {

namespace {

// No user waits for a remark. These limits are of the explicit engine, whose first try is one thread after
// the other, and of the solver.
constexpr double kMostWork = 4e6;
constexpr engine::Effort kMostEffort{std::size_t{1} << 23, 1U << 22};

struct Existence {
  bool some = false;  ///< also when the answer stays open
  std::string open;   ///< why it does
};

/// Is there a consistent execution, one that meets the filter if `filtered`?
Existence any_execution(const engine::Query& query, bool filtered, EngineChoice engine,
                        const engine::Specialiser* specialiser) {
  event::ProgramGraph graph = query.graph;
  graph.proposition = graph.exprs.truth(true);
  if (!filtered) graph.filter = graph.exprs.truth(true);
  graph.goal = event::Goal::exists;
  engine::Query any = query.about(graph, query.base, query.model, engine::Ask::verdict);
  any.stalled = [](double work) { return work > kMostWork; };
  any.effort = kMostEffort;
  const auto ask = [&](EngineChoice asked) { return decide(any, asked, specialiser).result; };
  engine::Result result = ask(engine == EngineChoice::smt ? engine : EngineChoice::explicit_);
  const bool cannot =
      !result.complete && result.unknown != engine::kStalled;  // more values than it lists, say
  if (cannot && engine != EngineChoice::smt && engine != EngineChoice::explicit_)
    result = ask(EngineChoice::smt);
  if (!result.states.empty()) return {true, ""};
  if (result.complete) return {false, ""};
  return {true, result.unknown == engine::kStalled ? "effort" : result.unknown};
}

}  // namespace

std::string open_vacuity(const FoundVacuity& vacuity) {
  return fmt::format("whether there is any execution was left open: {}", vacuity.open);
}

FoundVacuity find_vacuity(const engine::Query& query, const engine::Result& result, EngineChoice engine,
                          const engine::Specialiser* specialiser) {
  using explain::Vacuity;
  if (!result.states.empty() || !result.complete) return {};
  const bool has_filter = !query.graph.exprs.is_true(query.graph.filter);
  const bool listed_all = query.ask == engine::Ask::states;
  if (!listed_all) {
    const Existence meets = any_execution(query, true, engine, specialiser);
    if (meets.some) return {Vacuity::none, meets.open};
  }
  if (!has_filter) return {Vacuity::no_execution};
  // Where it is open whether an execution is consistent, none meets the filter all the same.
  return {any_execution(query, false, engine, specialiser).some ? Vacuity::filter : Vacuity::no_execution};
}

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
#include "cli/vacuity.h"

#include <algorithm>

#include "cli/auto.h"

namespace ptxmc::cli {

namespace {

constexpr double kMostSeconds = 1.0;  // nobody waits for a remark

/// Is there a consistent execution, one that meets the filter if `filtered`? True when the answer stays open.
bool any_execution(const engine::Query& query, bool filtered, EngineChoice engine,
                   const engine::Specialiser* specialiser) {
  event::ProgramGraph graph = query.graph;
  graph.proposition = graph.exprs.truth(true);
  if (!filtered) graph.filter = graph.exprs.truth(true);
  graph.goal = event::Goal::exists;
  const double limit = std::min(kMostSeconds, query.time_limit.value_or(kMostSeconds));
  const engine::Query any{graph, query.base, query.signature, query.model, engine::Ask::verdict, 0, limit, 1};
  const engine::Result result = decide(any, engine, specialiser).result;
  return !result.states.empty() || !result.complete;
}

}  // namespace

report::Vacuity find_vacuity(const engine::Query& query, const engine::Result& result, EngineChoice engine,
                             const engine::Specialiser* specialiser) {
  using report::Vacuity;
  if (!result.states.empty() || !result.complete) return Vacuity::none;
  const bool has_filter = !query.graph.exprs.is_true(query.graph.filter);
  const bool listed_all = query.ask == engine::Ask::states;
  if (!listed_all && any_execution(query, true, engine, specialiser)) return Vacuity::none;
  if (!has_filter) return Vacuity::no_execution;
  return any_execution(query, false, engine, specialiser) ? Vacuity::filter : Vacuity::no_execution;
}

}  // namespace ptxmc::cli

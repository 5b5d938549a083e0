// SPDX-License-Identifier: Apache-2.0
#include "cli/vacuity.h"

#include "cli/auto.h"

namespace ptxmc::cli {

namespace {

// Nobody waits for a remark: of the explicit engine, whose first try is one thread after the other; of the
// solver.
constexpr double kMostWork = 4e6;
constexpr engine::Effort kMostEffort{std::size_t{1} << 20, 1U << 20};

/// Is there a consistent execution, one that meets the filter if `filtered`? True when the answer stays open.
bool any_execution(const engine::Query& query, bool filtered, EngineChoice engine,
                   const engine::Specialiser* specialiser) {
  event::ProgramGraph graph = query.graph;
  graph.proposition = graph.exprs.truth(true);
  if (!filtered) graph.filter = graph.exprs.truth(true);
  graph.goal = event::Goal::exists;
  const auto weary = [](double work) { return work > kMostWork; };
  const engine::Query any{graph,        query.base, query.signature, query.model, engine::Ask::verdict, 0,
                          query.budget, 1,          weary,           kMostEffort};
  const auto ask = [&](EngineChoice asked) { return decide(any, asked, specialiser).result; };
  engine::Result result = ask(engine == EngineChoice::smt ? engine : EngineChoice::explicit_);
  const bool cannot = !result.complete && result.unknown != "silence";  // more values than it lists, say
  if (cannot && engine != EngineChoice::smt && engine != EngineChoice::explicit_)
    result = ask(EngineChoice::smt);
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

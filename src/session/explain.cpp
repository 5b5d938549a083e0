// SPDX-License-Identifier: Apache-2.0
#include "session/explain.h"

#include <utility>

#include "session/auto.h"

namespace ptxmc::session {

namespace {

// A vacuous test is explained by what excludes every execution, or all that meet the filter.
explain::Explanation explain_condition(const Analysis& analysis, const engine::Query& query,
                                       const explain::Solve& solve) {
  if (analysis.vacuity == explain::Vacuity::none)
    return explain::explain(query, analysis.decision.result, solve);
  event::ProgramGraph graph = analysis.graph;
  graph.proposition = graph.exprs.truth(true);
  graph.goal = event::Goal::exists;
  if (analysis.vacuity == explain::Vacuity::no_execution) graph.filter = graph.exprs.truth(true);
  const engine::Query any = query.about(graph, query.base, query.model, engine::Ask::verdict);
  engine::Result none;
  none.complete = true;
  return explain::explain(any, none, solve);
}

}  // namespace

Explained explain(const Session& session, const litmus::Test& test, const Budget& budget) {
  Explained out{check_test(session, test, budget), {}};
  std::vector<std::string>& problems = out.analysis->problems;
  const engine::Query query = out.analysis->query(session);
  const explain::Solve solve = [&](const engine::Query& question) {
    Decision decision = decide(question, session.settings().engine);
    for (std::string& line : decision.disagreements) problems.push_back(std::move(line));
    return std::move(decision.result);
  };
  out.explanation = explain_condition(*out.analysis, query, solve);
  for (const std::string& problem : out.explanation.problems) problems.push_back(problem);
  return out;
}

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
#include "report/draw/races.h"

#include "report/draw/dot.h"
#include "report/draw/drawing.h"
#include "report/witness.h"

namespace ptxmc::report {

namespace {

/// The query with the finding's flag, cut to its accesses, as a definition that can be drawn.
std::string graph_of(const FindingReport& report, const check::Finding& finding) {
  relation::MemoryModel model = report.query.model;
  std::vector<std::string> shown;
  const relation::Constraint& flag = model.flags.at(finding.flag);
  if (flag.test == relation::Test::empty && flag.negated && !finding.accesses.empty()) {
    model.definitions.push_back({flag.name, flag.expression, "", {}, nullptr});
    shown.push_back(flag.name);
  }
  const engine::Query& q = report.query;
  const engine::Query query = q.about(q.graph, q.base, model, engine::Ask::flag, finding.flag);
  const Witness witness(report, query, finding.state);
  const explain::Outcome& outcome = witness.outcome();
  return dot(outcome.test.name, drawing_of(outcome, shown));
}

}  // namespace

std::string race_graphs(const FindingReport& report, const check::RaceReport& races) {
  std::string out;
  for (const check::Finding& finding : races.findings) out += graph_of(report, finding);
  return out;
}

}  // namespace ptxmc::report

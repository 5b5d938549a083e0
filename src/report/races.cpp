// SPDX-License-Identifier: Apache-2.0
#include "report/races.h"

#include <algorithm>

#include "report/dot.h"
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
  const engine::Query query{q.graph, q.base, q.signature, model, engine::Ask::flag, finding.flag, {}};
  const Witness witness(report, query, finding.state);
  return dot_graph(witness.outcome(), shown);
}

}  // namespace

std::string_view name_of(RaceAnswer answer) {
  switch (answer) {
    case RaceAnswer::racy:
      return "Racy";
    case RaceAnswer::race_free:
      return "RaceFree";
    case RaceAnswer::unknown:
      return "Unknown";
  }
  return "";
}

std::vector<FlagOutcome> flags_of(const relation::MemoryModel& model, const check::RaceReport& races,
                                  const std::vector<check::Undefined>& misuses, bool open) {
  std::vector<FlagOutcome> out;
  for (const relation::Constraint& flag : model.flags) {
    const bool found =
        std::any_of(races.findings.begin(), races.findings.end(), [&](const check::Finding& f) {
          return std::find(f.flags.begin(), f.flags.end(), flag.name) != f.flags.end();
        });
    FlagOutcome one{flag.name, found, &model::rule_of(flag)};
    if (!found && open) one.raised.reset();
    out.push_back(std::move(one));
  }
  for (const check::Undefined& misuse : misuses) out.push_back({misuse.name, misuse.happens, misuse.rule});
  return out;
}

std::string race_graphs(const FindingReport& report, const check::RaceReport& races) {
  std::string out;
  for (const check::Finding& finding : races.findings) out += graph_of(report, finding);
  return out;
}

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// The verb `races`.
#include <fmt/format.h>

#include <algorithm>

#include "check/races.h"
#include "check/recheck.h"
#include "check/undefined.h"
#include "cli/auto.h"
#include "cli/check_test.h"
#include "cli/judge_findings.h"
#include "cli/stated_readings.h"
#include "cli/stopwatch.h"
#include "cli/vacuity.h"
#include "cli/verbs.h"
#include "event/base.h"
#include "report/races.h"

namespace ptxmc::cli {

namespace {

/// The engines, as the search for races asks them: within what is left of the time. Executions of the test
/// itself are judged again; with Recheck::all those of its strengthened variants too.
class Asker {
 public:
  Asker(const Settings& settings, const event::ProgramGraph& graph, const Stopwatch& watch)
      : settings_(settings), graph_(graph), watch_(watch) {}

  engine::Result solve(const engine::Query& query) {
    Decision decision = decide(query, settings_.engine);
    if (engine_.find(decision.engine) == std::string::npos)
      engine_ += (engine_.empty() ? "" : "+") + decision.engine;
    problems_.insert(problems_.end(), decision.disagreements.begin(), decision.disagreements.end());
    const bool judged = settings_.recheck == Recheck::all || &query.graph == &graph_;
    if (settings_.recheck == Recheck::off || !judged) return std::move(decision.result);
    try {
      for (const engine::State& state : decision.result.states) {
        for (const std::string& what : check::recheck(query, state))
          problems_.push_back("a witness fails its re-check: " + what);
      }
    } catch (const OutOfTime& timeout) {  // no answer, then
      decision.result.states.clear();
      decision.result.complete = false;
      decision.result.unknown = timeout.what();
    }
    return std::move(decision.result);
  }

  const std::string& engine() const { return engine_; }
  const std::vector<std::string>& problems() const { return problems_; }
  double seconds() const { return watch_.seconds(); }

 private:
  const Settings& settings_;
  const event::ProgramGraph& graph_;
  const Stopwatch& watch_;
  std::string engine_;
  std::vector<std::string> problems_;
};

// Why more races may be found than were; empty: that is all.
std::string open_reason(const Session& session, const event::ProgramGraph& graph,
                        const check::RaceReport& races) {
  if (!model::knows_races(session.model())) return "no-flag-for-races";
  if (!races.unknown.empty()) return races.unknown.front().second;
  return report::open_reason(graph, {}, session.settings().unroll.has_value());
}

/// What of a file's verdict races decide.
std::optional<litmus::Verdict> judged_part(const litmus::Verdict* stated) {
  if (stated == nullptr || (!stated->racy && stated->findings.empty())) return std::nullopt;
  litmus::Verdict part = *stated;
  part.proposition.reset();
  part.hangs.reset();
  part.vacuous = false;
  return part;
}

std::string print(Format format, const report::FindingReport& found, const check::RaceReport& races) {
  switch (format) {
    case Format::json:
      return report::json_reporter()->print(found);
    case Format::dot:
      return report::race_graphs(found, races);
    case Format::text:
      return report::text_reporter()->print(found);
    default:
      refuse_format("races", "text, json and dot");
  }
}

report::RaceAnswer answer_of(const check::RaceReport& races, bool open) {
  const bool racy = std::any_of(races.findings.begin(), races.findings.end(),
                                [](const check::Finding& finding) { return finding.race; });
  if (racy) return report::RaceAnswer::racy;
  return open ? report::RaceAnswer::unknown : report::RaceAnswer::race_free;
}

/// The graph and all that is asked of it.
struct Race {
  const Session& session;
  const Options& options;
  const litmus::Test& test;
  const event::ProgramGraph& graph;
  const engine::Query& query;
  const Asker& asker;
};

/// What the file says of races, and whether that is found.
void judge_stated(const Race& of, const std::vector<report::FlagOutcome>& flags, report::FindingReport& found,
                  TestReport& report) {
  const litmus::Verdict* stated =
      report::stated_for(of.test, of.session.model_name(), of.session.readings().changed());
  Judged verdict{judged_part(stated), std::nullopt, "", found.findings, ""};
  if (verdict.stated) {
    found.stated = report::print(*verdict.stated);
    found.met = verdict.met = report::is_met(*verdict.stated, {}, flags);
    verdict.found = report::found_instead(*verdict.stated, {}, flags);
  }
  if (found.answer == name_of(report::RaceAnswer::unknown)) verdict.unknown = found.unknown;
  judge_findings(found.file, found.model, stated, verdict, report);
}

/// `unknown`: why there may be more than that; empty: that is all.
TestReport report_of(const Race& of, const check::RaceReport& races,
                     const std::vector<check::Undefined>& misuses, std::string unknown) {
  const Settings& settings = of.session.settings();
  report::RaceAnswer answer = answer_of(races, !unknown.empty());
  report::FindingReport found{of.test, of.query, report::findings_of(of.graph, races, misuses),
                              std::string(name_of(answer)), unknown};
  const litmus::Verdict* stated =
      report::stated_for(of.test, of.session.model_name(), of.session.readings().changed());
  const bool vacuous_stated = stated && (stated->vacuous || stated->hangs == true);
  if (answer == report::RaceAnswer::race_free && !vacuous_stated) {
    engine::Query any = of.query;  // freedom from races over no execution says nothing
    any.ask = engine::Ask::verdict;
    const FoundVacuity vacuity = find_vacuity(any, {}, settings.engine, &of.session.specialiser());
    unknown = name_of(vacuity.kind);
    if (vacuity.kind != report::Vacuity::none) answer = report::RaceAnswer::unknown;
    if (!vacuity.open.empty()) found.remark = open_vacuity(vacuity);
  }
  found.answer = name_of(answer);
  found.unknown = unknown;
  found.file = of.test.source ? of.test.source->name : "";
  found.model = of.session.model_name();
  found.engine = of.asker.engine();
  found.seconds = of.asker.seconds();

  TestReport report;
  judge_stated(of, report::flags_of(of.session.model(), races, misuses, !unknown.empty()), found, report);
  report.output = print(of.options.format, found, races);
  for (const std::string& problem : of.asker.problems()) {
    report.status = worse(report.status, Status::failure);
    report.tally = Tally::failed;
    report.messages += fmt::format("{}: internal error: {}\n", found.file, problem);
  }
  return report;
}

TestReport find_races(const Session& session, const Options& options, const litmus::Test& test,
                      const SoFar& so_far) {
  const Settings& settings = session.settings();
  check_stated(session, test);
  const Stopwatch watch;
  const Budget budget = settings.timeout;
  const event::ProgramGraph graph = lower::lower(test, lowering(settings, budget));
  Asker asker(settings, graph, watch);
  const event::BaseValues base = event::compute_base(graph);
  const engine::Query query{graph,  base, session.signature(), session.model(), engine::Ask::flag, 0,
                            budget, 1};
  const check::Solve solve = [&](const engine::Query& asked) { return asker.solve(asked); };
  const Race race{session, options, test, graph, query, asker};
  const check::RaceReport races = check::find_races(
      query, solve,
      [&](const check::RaceReport& found) {
        so_far([&](const std::string& reason) { return report_of(race, found, {}, reason); });
      },
      options.first ? check::Wanted::first : check::Wanted::all);
  std::string unknown = open_reason(session, graph, races);
  std::vector<check::Undefined> misuses;
  try {
    if (!options.first || races.findings.empty()) misuses = check::find_misuses(query, solve);
  } catch (const OutOfTime& timeout) {
    if (unknown.empty()) unknown = timeout.what();
  }
  return report_of(race, races, misuses, std::move(unknown));
}

}  // namespace

Status races_files(const Options& options, Streams& streams) {
  return treat_files(options, streams, find_races);
}

}  // namespace ptxmc::cli

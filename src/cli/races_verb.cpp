// SPDX-License-Identifier: Apache-2.0
// The verb `races`.
#include <fmt/format.h>

#include "check/races.h"
#include "check/recheck.h"
#include "check/undefined.h"
#include "cli/auto.h"
#include "cli/check_test.h"
#include "cli/stopwatch.h"
#include "cli/vacuity.h"
#include "cli/verbs.h"
#include "event/base.h"
#include "report/races.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

/// The engines, as the search for races asks them: within what is left of the time. Executions of the test
/// itself are judged again; with Recheck::all those of its strengthened variants too.
class Judged {
 public:
  Judged(const Settings& settings, const event::ProgramGraph& graph, const Stopwatch& watch)
      : settings_(settings), graph_(graph), watch_(watch) {}

  engine::Result solve(const engine::Query& query) {
    Decision decision = decide(query, settings_.engine);
    if (engine_.find(decision.engine) == std::string::npos)
      engine_ += (engine_.empty() ? "" : "+") + decision.engine;
    problems_.insert(problems_.end(), decision.disagreements.begin(), decision.disagreements.end());
    const bool own = &query.graph == &graph_;
    if (settings_.recheck == Recheck::off || (!own && settings_.recheck == Recheck::first))
      return std::move(decision.result);
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
std::string open_reason(const Settings& settings, const event::ProgramGraph& graph,
                        const check::RaceReport& races) {
  if (!races.unknown.empty()) return races.unknown.front().second;
  if (graph.symbolic_arithmetic) return "unknown-initial-value";
  if (graph.meetings_open) return event::kTooManyPhases;
  if (graph.cut && !settings.unroll) return std::string(report::kUnrollBound);
  return "";
}

void judge(const report::RaceOutcome& outcome, TestReport& report) {
  using report::RaceAnswer;
  const auto note = [&](Status status, Tally tally, const std::string& message) {
    report.status = status;
    report.tally = tally;
    if (!message.empty()) report.messages += fmt::format("{}: {}\n", outcome.file, message);
  };
  if (outcome.answer == RaceAnswer::unknown)
    return note(Status::unknown, Tally::unknown, fmt::format("unknown: {}", outcome.unknown));
  const bool racy = outcome.answer == RaceAnswer::racy;
  if (!outcome.stated) return note(racy ? Status::unmet : Status::ok, Tally::no_verdict, "");
  if (*outcome.stated == racy) return note(Status::ok, Tally::as_stated, "");
  note(Status::unmet, Tally::not_as_stated,
       fmt::format("error: stated {}, found {} under {}", *outcome.stated ? "Racy" : "RaceFree",
                   name_of(outcome.answer), outcome.model));
}

std::string print(Format format, const report::RaceOutcome& outcome) {
  switch (format) {
    case Format::json:
      return report::race_json(outcome);
    case Format::dot:
      return report::race_graphs(outcome);
    case Format::text:
      return report::race_text(outcome);
    default:
      break;
  }
  Diagnostics diagnostics;
  diagnostics.error({}, "races has no such --format; text, json and dot");
  throw InputError(diagnostics);
}

TestReport find_races(const Session& session, const Options& options, const litmus::Test& test) {
  const Settings& settings = session.settings();
  const Stopwatch watch;
  const Budget budget = settings.timeout;
  const event::ProgramGraph graph = lower::lower(test, lowering(settings));
  Judged judged(settings, graph, watch);
  const event::BaseValues base = event::compute_base(graph);
  const engine::Query query{graph,  base, session.signature(), session.model(), engine::Ask::flag, 0,
                            budget, 1};
  const check::RaceReport races =
      check::find_races(query, [&](const engine::Query& asked) { return judged.solve(asked); });

  const std::vector<check::Undefined> misuses =
      check::find_misuses(query, [&](const engine::Query& asked) { return judged.solve(asked); });

  report::RaceOutcome outcome{
      test, query, races,  report::RaceAnswer::race_free, open_reason(settings, graph, races), {}, {}, {},
      {},   {},    misuses};
  if (!outcome.unknown.empty()) outcome.answer = report::RaceAnswer::unknown;
  const bool racy = std::any_of(races.findings.begin(), races.findings.end(), [](const auto& finding) {
    return !std::all_of(finding.flags.begin(), finding.flags.end(), check::is_misuse_flag);
  });
  if (racy) outcome.answer = report::RaceAnswer::racy;
  const litmus::Verdict* stated =
      report::stated_for(test, session.model_name(), session.readings().changed());
  const bool vacuous_stated = stated && (stated->vacuous || stated->hangs == true);
  if (outcome.answer == report::RaceAnswer::race_free && !vacuous_stated) {
    engine::Query any = query;  // freedom from races over no execution says nothing
    any.ask = engine::Ask::verdict;
    const report::Vacuity vacuity = find_vacuity(any, {}, settings.engine);
    outcome.unknown = name_of(vacuity);
    if (vacuity != report::Vacuity::none) outcome.answer = report::RaceAnswer::unknown;
  }
  if (stated) outcome.stated = stated->racy;
  outcome.file = test.source ? test.source->name : "";
  outcome.model = session.model_name();
  outcome.engine = judged.engine();
  outcome.seconds = judged.seconds();

  TestReport report;
  report.output = print(options.format, outcome);
  judge(outcome, report);
  for (const std::string& problem : judged.problems()) {
    report.status = worse(report.status, Status::failure);
    report.tally = Tally::failed;
    report.messages += fmt::format("{}: internal error: {}\n", outcome.file, problem);
  }
  return report;
}

}  // namespace

Status races_files(const Options& options, Streams& streams) {
  return treat_files(options, streams, find_races);
}

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
#include "session/races.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/recheck/recheck.h"
#include "explain/judgement.h"
#include "model/flag_rules.h"
#include "session/auto.h"
#include "session/stated_verdict.h"
#include "session/stopwatch.h"

namespace ptxmc::session {

namespace {

/// The engines, as the search for races asks them, several threads at a time perhaps: within what is left of the time. Executions of the test
/// itself are judged again; with Recheck::all those of its strengthened variants too.
class Asker {
 public:
  Asker(const Settings& settings, const event::ProgramGraph& graph) : settings_(settings), graph_(graph) {}

  engine::Result solve(const engine::Query& query) {
    Decision decision = decide(query, settings_.engine);
    note(decision.engine, decision.disagreements);
    const bool judged = settings_.recheck == Recheck::all || &query.graph == &graph_;
    if (settings_.recheck == Recheck::off || !judged) return std::move(decision.result);
    try {
      for (const engine::State& state : decision.result.states) {
        for (const std::string& what : check::recheck(query, state))
          note(decision.engine, {"a witness fails its re-check: " + what});
      }
    } catch (const OutOfTime& timeout) {  // no answer, then
      decision.result.states.clear();
      decision.result.complete = false;
      decision.result.unknown = timeout.what();
    }
    return std::move(decision.result);
  }

  std::string engine() const {
    const std::lock_guard lock(mutex_);
    return fmt::format("{}", fmt::join(engines_, "+"));
  }
  std::vector<std::string> problems() const {
    const std::lock_guard lock(mutex_);
    return problems_;
  }

 private:
  void note(const std::string& engine, const std::vector<std::string>& problems) {
    const std::lock_guard lock(mutex_);
    engines_.insert(engine);
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }

  const Settings& settings_;
  const event::ProgramGraph& graph_;
  mutable std::mutex mutex_;  // guards the two below
  std::set<std::string> engines_;
  std::vector<std::string> problems_;
};

// Why more races may be found than were; empty: that is all.
std::string open_reason(const Session& session, const event::ProgramGraph& graph,
                        const check::RaceReport& races) {
  if (!model::knows_races(session.model())) return "no-flag-for-races";
  if (!races.unknown.empty()) return races.unknown.front().second;
  return explain::open_reason(graph, {}, session.settings().unroll.has_value());
}

explain::RaceAnswer answer_of(const check::RaceReport& races, bool open) {
  const bool racy = std::any_of(races.findings.begin(), races.findings.end(),
                                [](const check::Finding& finding) { return finding.race; });
  if (racy) return explain::RaceAnswer::racy;
  return open ? explain::RaceAnswer::unknown : explain::RaceAnswer::race_free;
}

/// Is it stated that the test has no execution?
bool vacuous_stated(const Session& session, const litmus::Test& test) {
  const litmus::Verdict* stated =
      explain::stated_for(test, session.model_name(), session.readings().changed());
  return stated && (stated->vacuous || stated->hangs == true);
}

/// The answer, by what was found and by what is left open.
void conclude(const Session& session, const litmus::Test& test, Races& races) {
  races.answer = answer_of(races.found, !races.open.empty());
  races.unknown = races.open;
  if (races.answer != explain::RaceAnswer::race_free || vacuous_stated(session, test)) return;
  engine::Query any = races.query(session);  // freedom from races over no execution says nothing
  any.ask = engine::Ask::verdict;
  races.vacuity = find_vacuity(any, {}, session.settings().engine, &session.specialiser());
  races.unknown = name_of(races.vacuity.kind);
  if (races.vacuity.kind != explain::Vacuity::none) races.answer = explain::RaceAnswer::unknown;
}

}  // namespace

engine::Query Races::query(const Session& session) const {
  engine::Query query = session.query(graph, base, engine::Ask::flag, budget);
  query.jobs = session.settings().jobs;
  return query;
}

std::unique_ptr<Races> find_races(const Session& session, const litmus::Test& test, const Budget& budget,
                                  check::Wanted wanted, const RacesSoFar& so_far) {
  const Settings& settings = session.settings();
  check_stated_verdict(session, test);
  const Stopwatch watch;
  auto races = std::make_unique<Races>();
  races->budget = budget;
  races->graph = lower::lower(test, lowering_for_flags(session, budget));
  races->base = event::compute_base(races->graph);
  Asker asker(settings, races->graph);
  const auto take = [&](Races& into) {
    into.engine = asker.engine();
    into.problems = asker.problems();
    into.seconds = watch.seconds();
  };
  const engine::Query query = races->query(session);
  const check::Solve solve = [&](const engine::Query& asked) { return asker.solve(asked); };
  races->found = check::find_races(
      query, solve,
      [&](const check::RaceReport& found) {
        if (!so_far) return;
        so_far([&](const std::string& reason) {
          races->found = found;
          races->open = reason;
          conclude(session, test, *races);
          take(*races);
          return races.get();
        });
      },
      wanted);
  races->open = open_reason(session, races->graph, races->found);
  try {
    if (wanted == check::Wanted::all || races->found.findings.empty())
      races->misuses = check::find_misuses(query, solve);
  } catch (const OutOfTime& timeout) {
    if (races->open.empty()) races->open = timeout.what();
  }
  conclude(session, test, *races);
  take(*races);
  return races;
}

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
#include "cli/check_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "check/agree.h"
#include "check/recheck.h"
#include "event/base.h"
#include "litmus/parse.h"
#include "lower/lower.h"
#include "model/models.h"

namespace ptxmc::cli {

namespace {

/// Seconds since its construction, and what a time limit leaves.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  std::optional<double> left(std::optional<double> limit) const {
    // An engine that starts late still gets a moment: it may answer at once, and it says "timeout" itself.
    if (limit) limit = std::max(*limit - seconds(), 0.001);
    return limit;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

lower::Options lowering(const Settings& settings) {
  lower::Options options;
  if (settings.unroll) options.unroll = *settings.unroll;
  options.unbounded = settings.unbounded;
  return options;
}

// A verdict query looks only for what the quantifier asks; a stated verdict about the other side needs all
// states.
engine::Ask what_to_ask(const Settings& settings, const litmus::Test& test, const litmus::Verdict* stated) {
  if (!settings.verdict_only) return engine::Ask::states;
  if (!stated || !stated->proposition) return engine::Ask::verdict;
  const bool forall = test.quantifier == litmus::Quantifier::forall || !test.condition;
  switch (*stated->proposition) {
    case litmus::Stated::allowed:
    case litmus::Stated::forbidden:
      return forall ? engine::Ask::states : engine::Ask::verdict;
    case litmus::Stated::required:
      return forall ? engine::Ask::verdict : engine::Ask::states;
    case litmus::Stated::unknown:
    case litmus::Stated::undefined:
      return engine::Ask::verdict;
  }
  return engine::Ask::states;
}

bool flags_wanted(const Session& session, const litmus::Verdict* stated) {
  if (session.settings().flags) return *session.settings().flags;
  const bool stated_needs = stated && (stated->racy || stated->proposition == litmus::Stated::undefined);
  return session.user_model() || stated_needs;
}

// A witness of every state, or of the first, judged again.
void recheck_states(const engine::Query& query, const engine::Result& result, Recheck wanted,
                    std::vector<std::string>& problems) {
  if (wanted == Recheck::off) return;
  for (const engine::State& state : result.states) {
    const bool kept = state.witness.exists.size() != 0;
    if (!kept && wanted == Recheck::first) continue;  // only some states keep a witness then
    for (const std::string& what : check::recheck(query, state)) {
      const std::string shown = check::describe_state(query.graph, state);
      problems.push_back(fmt::format("the witness of {} fails its re-check: {}", shown, what));
    }
    if (wanted == Recheck::first) return;
  }
  if (wanted == Recheck::first && !result.states.empty()) problems.push_back("no state has a witness to re-check");
}

void raise_flags(const Session& session, const Stopwatch& watch, Analysis& a) {
  for (std::size_t flag = 0; flag < session.model().flags.size(); ++flag) {
    engine::Query query = a.query(session);
    query.ask = engine::Ask::flag;
    query.flag = flag;
    query.time_limit = watch.left(session.settings().timeout);
    const Decision decision = decide(query, session.settings().engine);
    for (const std::string& line : decision.disagreements) a.problems.push_back(line);
    recheck_states(query, decision.result, session.settings().recheck, a.problems);
    std::optional<bool> raised;
    if (decision.result.complete) raised = false;
    if (!decision.result.states.empty()) raised = true;
    a.flags.push_back({session.model().flags[flag].name, raised});
  }
}

}  // namespace

Session::Session(Settings settings) : settings_(std::move(settings)), signature_(event::base_signature()) {
  if (settings_.model.empty()) settings_.model = model::kDefaultProfile;
  model_ = model::load(settings_.model, signature_);
  user_model_ = std::none_of(model::profiles().begin(), model::profiles().end(),
                             [&](const model::Profile& profile) { return profile.name == settings_.model; });
}

engine::Query Analysis::query(const Session& session) const {
  return {graph, base, session.signature(), session.model(), ask, 0, session.settings().timeout,
          session.settings().witnesses};
}

std::unique_ptr<Analysis> check_test(const Session& session, const SourcePtr& source) {
  const Settings& settings = session.settings();
  const Stopwatch watch;
  auto a = std::make_unique<Analysis>();

  // Parse and lower.
  a->test = litmus::parse(source);
  a->graph = lower::lower(a->test, lowering(settings));
  a->base = event::compute_base(a->graph);

  // Decide.
  const litmus::Verdict* stated = report::stated_for(a->test, session.model_name());
  a->ask = what_to_ask(settings, a->test, stated);
  engine::Query query = a->query(session);
  query.time_limit = watch.left(settings.timeout);
  a->decision = decide(query, settings.engine);
  a->problems = a->decision.disagreements;

  // Re-check the witnesses.
  recheck_states(query, a->decision.result, settings.recheck, a->problems);

  // Flags and judgement.
  if (flags_wanted(session, stated)) raise_flags(session, watch, *a);
  a->judgement = report::judge(a->graph, a->decision.result, a->ask, settings.unroll.has_value(), a->flags);
  a->seconds = watch.seconds();
  return a;
}

report::Outcome Analysis::outcome(const Session& session, const engine::Query& query) const {
  return {test,
          query,
          decision.result,
          judgement,
          flags,
          test.source ? test.source->name : "",
          session.model_name(),
          decision.engine,
          seconds};
}

}  // namespace ptxmc::cli

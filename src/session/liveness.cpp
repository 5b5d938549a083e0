// SPDX-License-Identifier: Apache-2.0
#include "session/liveness.h"

#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/recheck/recheck.h"
#include "explain/judgement.h"
#include "support/beyond_limits.h"

namespace ptxmc::session {

namespace {

// A hang that was found is judged again, and explained. Throws OutOfTime.
void judge_hang(const engine::Query& query, const Settings& settings, Liveness& live) {
  const auto& states = live.decision.result.states;
  if (states.empty()) return;
  live.hangs = true;
  if (settings.recheck != Recheck::off) {
    for (const std::string& what : check::recheck(query, states.front())) {
      live.problems.push_back("the witness of a hang fails its re-check: " + what);
    }
  }
  if (live.problems.empty()) live.standstill = check::explain_standstill(query, states.front().witness);
}

}  // namespace

std::string_view name_of(lower::ProgressModel progress) {
  switch (progress) {
    case lower::ProgressModel::fair:
      return "fair";
    case lower::ProgressModel::obe:
      return "obe";
    case lower::ProgressModel::hsa:
      return "hsa";
  }
  return "";
}

engine::Query Liveness::query(const Session& session) const {
  return {graph, base, session.signature(), model, engine::Ask::verdict, 0, budget, 1};
}

namespace {

/// The graph; where that is too large, one in which elections have one of their results, so that nothing is known of the
/// others: `bounded`. Throws BeyondLimits.
event::ProgramGraph lowered(const litmus::Test& test, lower::Options options, bool& bounded) {
  try {
    return lower::lower(test, options);
  } catch (const BeyondLimits&) {
    options.first_leads = bounded = true;
    try {
      return lower::lower(test, options);
    } catch (const BeyondLimits&) {
    }
    throw;
  }
}

}  // namespace

std::unique_ptr<Liveness> check_liveness(const Session& session, const litmus::Test& test,
                                         lower::ProgressModel progress, const Budget& budget) {
  const Settings& settings = session.settings();
  auto live = std::make_unique<Liveness>();
  live->budget = budget;
  lower::Options options = lowering_for_flags(session, budget);
  options.liveness = progress;
  options.all_turns = false;  // it takes every loop as it is, but for polls of mbarriers
  bool bounded = false;
  live->graph = lowered(test, options, bounded);
  // Who stays in a loop forever stays beyond every bound: also one that was asked for.
  const auto open_reason = [&] {
    const std::string reason = explain::open_reason(live->graph, live->decision.result, false);
    return reason.empty() && bounded ? std::string("too-large") : reason;
  };
  live->base = event::compute_base(live->graph);
  live->model = check::with_progress(session.model(), session.signature());
  if (live->graph.hangs.empty()) {  // nothing that could wait
    live->unknown = open_reason();
    if (live->unknown.empty()) live->hangs = false;
    return live;
  }
  const engine::Query query = live->query(session);
  live->decision = decide(query, settings.engine);
  live->problems = live->decision.disagreements;
  try {
    judge_hang(query, settings, *live);
  } catch (const OutOfTime& timeout) {
    live->hangs.reset();
    live->unknown = timeout.what();
    return live;
  }
  if (live->hangs) return live;
  live->unknown = open_reason();
  if (live->unknown.empty()) live->hangs = false;
  return live;
}

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
#include "session/decide_condition.h"

#include <algorithm>

namespace ptxmc::session {

namespace {

constexpr double kShare = 0.5;  // of the time that is left

bool found(const engine::Result& result, bool satisfied) {
  return std::any_of(result.states.begin(), result.states.end(),
                     [&](const engine::State& state) { return state.satisfied == satisfied; });
}

// As engines sort their states.
void insert(const event::ProgramGraph& graph, engine::Result& result, engine::State state) {
  const auto before = [&](const engine::State& a, const engine::State& b) {
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i] == b.values[i]) continue;
      const event::Observable& seen = graph.observables[i];
      if (seen.width == event::kUnbounded) return a.values[i] < b.values[i];
      return event::as_signed(a.values[i], seen.width) < event::as_signed(b.values[i], seen.width);
    }
    return false;
  };
  const auto place = std::lower_bound(result.states.begin(), result.states.end(), state, before);
  if (place == result.states.end() || place->values != state.values)
    result.states.insert(place, std::move(state));
}

/// True: no execution has the proposition `satisfied`.
bool excluded(const Session& session, bool satisfied, Analysis& a) {
  event::ProgramGraph graph = a.graph;
  graph.goal = satisfied ? event::Goal::exists : event::Goal::forall;
  // The flags, which may void the answer, need the other half of the time.
  const engine::Query query{.graph = graph,
                            .base = a.base,
                            .signature = session.signature(),
                            .model = a.model(session),
                            .ask = engine::Ask::verdict,
                            .budget = a.budget.share(kShare),
                            .witnesses = session.settings().witnesses};
  Decision decision = decide(query, session.settings().engine, &a.specialiser(session));
  for (const std::string& line : decision.disagreements) a.problems.push_back(line);
  const bool none = decision.result.complete && decision.result.states.empty();
  for (engine::State& state : decision.result.states) insert(a.graph, a.decision.result, std::move(state));
  return none;
}

bool speaks_of_all(const litmus::Verdict* stated) {
  return stated != nullptr && stated->proposition == litmus::Stated::required;
}

bool speaks_of_some(const litmus::Verdict* stated) {
  return stated != nullptr &&
         (stated->proposition == litmus::Stated::allowed || stated->proposition == litmus::Stated::forbidden);
}

}  // namespace

Budget budget_to_list(const Budget& budget, engine::Ask ask) {
  return ask == engine::Ask::states ? budget.share(kShare) : budget;
}

explain::Excluded decide_condition(const Session& session, const litmus::Verdict* stated,
                                   Analysis& analysis) {
  explain::Excluded out;
  const engine::Result& result = analysis.decision.result;
  if (result.complete || analysis.ask != engine::Ask::states) return out;
  const bool forall = analysis.graph.goal == event::Goal::forall;
  if ((!forall || speaks_of_some(stated)) && !found(result, true))
    out.satisfying = excluded(session, true, analysis);
  if ((forall || speaks_of_all(stated)) && !found(result, false))
    out.violating = excluded(session, false, analysis);
  return out;
}

}  // namespace ptxmc::session

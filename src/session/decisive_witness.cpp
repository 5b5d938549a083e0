// SPDX-License-Identifier: Apache-2.0
#include "session/decisive_witness.h"

#include <utility>

namespace ptxmc::session {

namespace {

engine::State state_at(const engine::Result& result, std::size_t index) {
  if (!result.packed) return result.states[index];
  engine::State out;
  result.packed->for_each(index, index + 1, [&](const std::vector<std::uint32_t>& codes, bool satisfied) {
    for (std::size_t i = 0; i < codes.size(); ++i) out.values.push_back(result.packed->domain(i)[codes[i]]);
    out.satisfied = satisfied;
  });
  return out;
}

/// "The execution ends in that state."
event::Expr is_state(event::ProgramGraph& graph, const engine::State& state) {
  event::ExprPool& pool = graph.exprs;
  event::Expr out = state.satisfied ? graph.proposition : pool.negation(graph.proposition);
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    const event::Observable& seen = graph.observables[i];
    const event::Expr value = pool.constant(state.values[i], seen.width);
    out = pool.conjunction(out, pool.make(event::Op::eq, 1, seen.value, value));
  }
  return out;
}

}  // namespace

void find_decisive_witness(const Session& session, Analysis& analysis) {
  engine::Result& found = analysis.decision.result;
  const std::optional<std::size_t> index = explain::deciding_state(analysis.graph, found);
  if (!index) return;
  engine::State state = state_at(found, *index);
  if (state.witness.exists.size() != 0) return;
  event::ProgramGraph graph = analysis.graph;
  graph.proposition = is_state(graph, state);
  graph.goal = event::Goal::exists;
  const engine::Query query =
      analysis.query(session).about(graph, analysis.base, analysis.model(session), engine::Ask::verdict);
  Decision decision = decide(query, session.settings().engine, &analysis.specialiser(session));
  for (const std::string& line : decision.disagreements) analysis.problems.push_back(line);
  if (found.packed) found.states.clear();
  if (decision.result.states.empty()) return;
  state.witness = std::move(decision.result.states.front().witness);
  if (found.packed) {
    found.states.push_back(std::move(state));
  } else {
    found.states[*index] = std::move(state);
  }
}

}  // namespace ptxmc::session

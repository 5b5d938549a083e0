// SPDX-License-Identifier: Apache-2.0
#include "explain/edges.h"

#include <algorithm>
#include <set>

#include "axiomatic/question/definition.h"

namespace ptxmc::explain {

using check::PairSet;
using event::EventId;

namespace {

PairSet on_one_cell(const event::ProgramGraph& graph, const PairSet& pairs) {
  PairSet out;
  for (const auto& [a, b] : pairs) {
    bool common = false;
    for (std::size_t k = 0; k < graph.slots_of(a); ++k)
      common |= graph.covers(b, graph.slot(graph.slot_of(a, k)).cell);
    if (common) out.emplace(a, b);
  }
  return out;
}

// A model may name no program order; events of a thread are numbered in it.
PairSet numbering_order(const event::ProgramGraph& graph, const event::Execution& execution) {
  PairSet out;
  for (EventId a = 0; a < graph.size(); ++a) {
    for (EventId b = a + 1; b < graph.size(); ++b) {
      const bool ordered = graph.events[a].thread == graph.events[b].thread &&
                           graph.events[a].thread != event::kNoThread && execution.exists.test(a) &&
                           execution.exists.test(b);
      if (ordered) out.emplace(a, b);
    }
  }
  return out;
}

}  // namespace

check::NaiveInput naive_input(const Outcome& outcome, const engine::State& state) {
  const engine::Query& q = outcome.query;
  return {q.graph, q.base, q.signature, q.model, state.witness};
}

PairSet reduced(const PairSet& pairs) {
  PairSet out;
  for (const auto& [a, b] : pairs) {
    bool implied = false;
    for (auto it = pairs.lower_bound({a, 0}); it != pairs.end() && it->first == a && !implied; ++it) {
      implied = it->second != a && it->second != b && pairs.contains({it->second, b});
    }
    if (!implied) out.emplace(a, b);
  }
  return out;
}

Edges edges_of(const Outcome& outcome, const engine::State& state) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const event::Execution& execution = state.witness;
  const check::NaiveInput input = naive_input(outcome, state);
  Edges edges;
  const bool has_po = input.signature.find("po").has_value();
  edges.po = reduced(has_po ? check::evaluate_base(input, "po") : numbering_order(graph, execution));
  check::NaiveRelations relations(input);
  const PairSet on_cell = on_one_cell(graph, relations.value(outcome.query.model.coherence));
  std::set<EventId> written;
  for (const auto& [earlier, later] : on_cell) written.insert(later);
  edges.co = reduced(on_cell);
  for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
    const event::Slot slot = graph.slot(s);
    const EventId r = slot.event;
    const EventId source = execution.reads_from[s];
    if (source == event::kNoEvent) continue;
    edges.rf.emplace(source, r);
    const auto is_next =
        [&](EventId write) {  // in the order of this cell, where edges.co may take a way round
          const auto between = [&](EventId other) {
            return graph.covers(other, slot.cell) && on_cell.contains({source, other}) &&
                   on_cell.contains({other, write});
          };
          return graph.covers(write, slot.cell) && std::none_of(written.begin(), written.end(), between);
        };
    for (auto it = on_cell.lower_bound({source, 0}); it != on_cell.end() && it->first == source; ++it) {
      if (it->second != graph.events[r].rmw_partner && is_next(it->second)) edges.fr.emplace(r, it->second);
    }
  }
  return edges;
}

}  // namespace ptxmc::explain

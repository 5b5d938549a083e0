// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/tensor_view.h"

#include <algorithm>

namespace ptxmc::check {

using event::EventId;
using event::EventKind;
using event::kNoEvent;

TensorView::TensorView(const engine::Query& query, const engine::State& racing)
    : graph_(query.graph), execution_(racing.witness) {
  const NaiveInput input{query.graph, query.base, query.signature, query.model, racing.witness, query.budget};
  const auto pairs = [&](model::Role role) { return evaluate_role(input, role).value_or(PairSet{}); };
  met_ = pairs(model::Role::meeting);
  pair_ = pairs(model::Role::pipelined);
  order_ = met_;
  for (const model::Role role : {model::Role::synchronization, model::Role::execution}) {
    const PairSet more = pairs(role);
    order_.insert(more.begin(), more.end());
  }
}

bool TensorView::same_object(EventId a, EventId b) const {
  const auto &x = event(a).mbarrier, &y = event(b).mbarrier;
  return x && y && x->owner == y->owner && x->object == y->object;
}

std::vector<EventId> TensorView::completing_waits(EventId access) const {
  std::vector<EventId> out;
  const auto note = [&](EventId wait) {
    if (exists(wait) && std::find(out.begin(), out.end(), wait) == out.end()) out.push_back(wait);
  };
  for (const auto& [completed, wait] : graph_.completed) {
    if (completed == access) note(wait);
  }
  for (const auto& [tracked, signal] : graph_.tracked) {
    for (auto pair = met_.lower_bound({signal, 0}); tracked == access && pair != met_.end(); ++pair) {
      if (pair->first != signal) break;
      note(pair->second);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// As execution has it, relaxed or not; else a reader that follows an earlier write precedes the next one; else who
// comes first in the text.
bool TensorView::comes_first(EventId a, EventId b) const {
  const EventId one = event(a).issue, other = event(b).issue;
  if (reaches(one, other)) return true;
  if (reaches(other, one)) return false;
  if (event(one).thread != event(other).thread && event(a).is_write() != event(b).is_write()) {
    if (event(a).is_write()) return !follows_earlier(b, a);
    return follows_earlier(a, b);
  }
  return one < other;
}

// The read is ordered behind another write of the writer's thread, which stands before this one.
bool TensorView::follows_earlier(EventId read, EventId write) const {
  for (EventId w = 0; w < event(write).issue; ++w) {
    const bool earlier = event(w).is_write() && event(w).thread == event(write).thread &&
                         event(w).issue != kNoEvent && !event(w).labels.allocates && exists(w);
    bool overlaps = false;
    for (std::size_t k = 0; earlier && k < graph_.slots_of(w); ++k)
      overlaps = overlaps || graph_.covers(read, graph_.slot(graph_.slot_of(w, k)).cell);
    if (overlaps && reaches(event(w).issue, event(read).issue)) return true;
  }
  return false;
}

bool TensorView::reaches(EventId from, EventId to) const {
  std::vector<EventId> work{from};
  std::vector<char> seen(graph_.size(), 0);
  seen[from] = 1;
  const auto visit = [&](EventId e) {
    if (seen[e] == 0 && exists(e)) {
      seen[e] = 1;
      work.push_back(e);
    }
  };
  while (!work.empty()) {
    const EventId at = work.back();
    work.pop_back();
    for (EventId e = at + 1; e < graph_.size() && event(at).issue == kNoEvent; ++e) {
      if (event(e).thread == event(at).thread && event(e).issue == kNoEvent) visit(e);
    }
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (event(e).kind == EventKind::signal && event(e).issue == at) visit(e);
    }
    for (auto pair = order_.lower_bound({at, 0}); pair != order_.end() && pair->first == at; ++pair)
      visit(pair->second);
  }
  return from != to && seen[to] != 0;
}

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
// Races in tensor memory.
//
// Two operations there are ordered if they are a pipelined pair and are issued in order, or if the first one
// is known to be complete before the second is issued; both orders cross threads by tcgen05 fences around
// whatever orders execution. So the questions are, in turn: does anything order the instructions? are they a
// pair, or does somebody wait for the first one? and are the fences there? Which of the two comes first is
// what the order of execution says, relaxed or not; where there is none, the one that is issued first in the
// text.
#include "check/tensor_diagnosis.h"

#include <algorithm>
#include <utility>

#include "check/definition.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;
using event::TensorOp;
using Kind = TensorStory::Kind;

namespace {

class TensorDiagnostician {
 public:
  TensorDiagnostician(const engine::Query& query, const engine::State& racing)
      : graph_(query.graph),
        execution_(racing.witness),
        input_{query.graph, query.base, query.signature, query.model, racing.witness, query.budget},
        met_(pairs(model::Role::meeting)),
        sync_(pairs(model::Role::synchronization)),
        exec_(pairs(model::Role::execution)),
        pair_(evaluate_base(input_, "pair")) {}

  TensorStory tell(EventId a, EventId b) const {
    TensorStory story;
    const bool swap = event(b).issue < event(a).issue;
    story.first = swap ? b : a;
    story.second = swap ? a : b;
    const EventId one = event(story.first).issue, other = event(story.second).issue;
    bool ordered = reaches(one, other);
    if (!ordered && reaches(other, one)) {
      std::swap(story.first, story.second);
      ordered = true;
    }
    const bool frees = event(event(story.first).issue).tensor.op == TensorOp::dealloc;
    if (!ordered && frees) std::swap(story.first, story.second);  // it should have come last
    story.kinds = {kind_of(story, ordered)};
    return story;
  }

 private:
  const Event& event(EventId e) const { return graph_.events[e]; }
  bool exists(EventId e) const { return execution_.exists.test(e); }
  PairSet pairs(model::Role role) const { return evaluate_role(input_, role).value_or(PairSet{}); }

  Kind kind_of(TensorStory& story, bool ordered) const {
    const EventId first = event(story.first).issue, second = event(story.second).issue;
    const TensorOp op = event(first).tensor.op, next = event(second).tensor.op;
    if (op == TensorOp::dealloc) return Kind::after_dealloc;
    if (op == TensorOp::alloc || next == TensorOp::alloc) return Kind::before_alloc;
    if (!ordered) return next == TensorOp::dealloc ? Kind::before_dealloc : Kind::unordered;
    if (pair_.contains({first, second})) return fences(story, first, second);
    find_completion(story, second);
    if (story.wait == kNoEvent) return next == TensorOp::dealloc ? Kind::before_dealloc : Kind::incomplete;
    return fences(story, story.wait, second);
  }

  /// Which fence is missing on the way from one event to another.
  Kind fences(TensorStory& story, EventId from, EventId to) const {
    const bool after = has_fence(TensorOp::after, to, [&](EventId e) {
      return e < to && (event(from).thread != event(to).thread || e > from) && behind_wait(e, to);
    });
    if (!after) return Kind::no_after;
    story.from = from;
    const bool before = has_fence(TensorOp::before, from, [&](EventId e) { return e > from; });
    return before || event(from).thread == event(to).thread ? Kind::unordered : Kind::no_before;
  }
  template <typename Where>
  bool has_fence(TensorOp op, EventId thread_of, const Where& where) const {
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (event(e).tensor.op == op && exists(e) && event(e).thread == event(thread_of).thread && where(e))
        return true;
    }
    return false;
  }
  /// No barrier wait stands between the fence and the instruction that it is for.
  bool behind_wait(EventId fence, EventId until) const {
    for (EventId e = fence + 1; e < until; ++e) {
      const bool waits =
          event(e).kind == EventKind::wait && event(e).thread == event(until).thread && exists(e);
      if (waits && std::any_of(met_.begin(), met_.end(), [&](const auto& pair) {
            return pair.second == e && event(pair.first).thread != event(until).thread;
          }))
        return false;
    }
    return true;
  }

  /// Who waits for the first operation, so that the second one follows; else what is there instead.
  void find_completion(TensorStory& story, EventId second) const {
    for (const auto& [access, wait] : graph_.completed) {
      if (access == story.first && exists(wait) && reaches(wait, second)) story.wait = wait;
    }
    for (const auto& [access, signal] : graph_.tracked) {
      if (access != story.first || !exists(signal)) continue;
      const EventId commit = event(signal).issue;
      if (event(commit).thread != event(second).thread || commit < second) story.signal = signal;
      for (const auto& [arrival, wait] : met_) {
        if (arrival == signal && reaches(wait, second)) story.wait = wait;
      }
    }
  }

  /// Execution reaches `to` behind `from`, by whatever orders it.
  bool reaches(EventId from, EventId to) const {
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
        const bool signal = event(e).kind == EventKind::signal && event(e).issue == at;
        if (signal) visit(e);
      }
      for (const PairSet* edges : {&met_, &sync_, &exec_}) {
        for (auto pair = edges->lower_bound({at, 0}); pair != edges->end() && pair->first == at; ++pair)
          visit(pair->second);
      }
    }
    return from != to && seen[to] != 0;
  }

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  const NaiveInput input_;
  const PairSet met_, sync_, exec_, pair_;
};

}  // namespace

std::optional<TensorStory> diagnose_tensor(const engine::Query& query, EventId a, EventId b,
                                           const engine::State& racing) {
  const auto tensor = [&](EventId e) {
    const Event& event = query.graph.events[e];
    return event.is_access() && event.labels.proxy == isa::Proxy::tensor && event.issue != kNoEvent;
  };
  if (!tensor(a) || !tensor(b)) return std::nullopt;
  return TensorDiagnostician(query, racing).tell(a, b);
}

}  // namespace ptxmc::check

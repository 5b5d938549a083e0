// SPDX-License-Identifier: Apache-2.0
// Races of asynchronous operations.
//
// Such an operation is ordered behind what precedes its instruction, and before whoever waits for it: for its
// group, or for the phase of the mbarrier object that its completion counts in (8.9.1.1, 9.7.8.24). So there
// are few ways to go wrong, and the execution that shows the race tells them apart: the other access comes
// first but through another proxy; it comes later and nobody waited; somebody waited, for something else; or
// it reads what the operation overwrites, and nothing says that it is done. Which access comes first is what
// base causality says, else the order of the instructions in one thread, else who reads from whom.
#include "check/async_diagnosis.h"

#include <algorithm>
#include <tuple>

#include "check/definition.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;

namespace {

class AsyncDiagnostician {
 public:
  AsyncDiagnostician(const engine::Query& query, const engine::State& racing)
      : graph_(query.graph),
        execution_(racing.witness),
        input_{query.graph, query.base, query.signature, query.model, racing.witness},
        bc_(pairs("bc")),
        met_(pairs("met")) {}

  AsyncStory tell(EventId a, EventId b) const {
    const bool both = is_async(a) && is_async(b);
    AsyncStory story;
    story.copy = is_async(a) ? a : b;
    if (both && event(a).issue < event(b).issue) story.copy = a;  // the earlier one is to be waited for
    story.other = story.copy == a ? b : a;
    story.other_first = !both && comes_first(story.other, story.copy);
    const bool ordered = bc_.contains({a, b}) || bc_.contains({b, a});
    const bool across = event(a).labels.proxy != event(b).labels.proxy;
    if (find_map_fences(story)) {
      story.kind = AsyncStory::Kind::map_fences;
    } else if (ordered && across) {
      story.kind = AsyncStory::Kind::proxy;
      story.wait = proxy_fence(story);
    } else if (!story.other_first) {
      find_completion(story);
    } else {
      const bool overwrites = event(story.copy).is_write() && event(story.other).is_read();
      story.kind = overwrites ? AsyncStory::Kind::reuse : AsyncStory::Kind::unordered;
      if (const auto meeting = meeting_before(story)) std::tie(story.signal, story.wait) = *meeting;
    }
    return story;
  }

  std::optional<std::pair<EventId, EventId>> missed_phase(EventId first, EventId second) const {
    std::optional<std::pair<EventId, EventId>> missed;
    for (EventId w = 0; w < second; ++w) {
      if (event(w).kind != EventKind::wait || event(w).thread != event(second).thread || !exists(w)) continue;
      for (EventId arrival = first + 1; arrival < graph_.size(); ++arrival) {
        const bool behind =
            event(arrival).kind == EventKind::arrival && event(arrival).thread == event(first).thread;
        if (!behind || !exists(arrival) || !same_object(arrival, w)) continue;
        if (met_.contains({arrival, w})) return std::nullopt;
        if (!missed) missed = {arrival, w};
      }
    }
    return missed;
  }

 private:
  const Event& event(EventId e) const { return graph_.events[e]; }
  bool is_async(EventId e) const { return event(e).issue != kNoEvent; }
  bool exists(EventId e) const { return execution_.exists.test(e); }
  bool reads_from(EventId w, EventId r) const {
    for (std::size_t k = 0; k < graph_.slots_of(r); ++k) {
      if (execution_.reads_from[graph_.slot_of(r, k)] == w) return true;
    }
    return false;
  }
  PairSet pairs(const std::string& name) const {
    const auto found = evaluate_definition(input_, name);
    const PairSet* value = found ? std::get_if<PairSet>(&*found) : nullptr;
    return value ? *value : PairSet{};
  }

  bool comes_first(EventId other, EventId copy) const {
    if (bc_.contains({other, copy})) return true;
    if (bc_.contains({copy, other})) return false;
    const EventId issue = event(copy).issue;
    if (event(other).thread == event(copy).thread) return other < issue;
    if (event(other).is_write()) return !event(copy).is_write() && reads_from(other, copy);
    if (issue_is_awaited(other, issue) || meeting(other, issue)) return true;
    return !reads_from(copy, other) && reads_another_copy(other);
  }
  // A buffer that is filled again: its reader had what an earlier copy brought.
  bool reads_another_copy(EventId r) const {
    for (std::size_t k = 0; k < graph_.slots_of(r); ++k) {
      const EventId source = execution_.reads_from[graph_.slot_of(r, k)];
      if (source != kNoEvent && is_async(source)) return true;
    }
    return false;
  }
  // An arrival behind `e`, and a wait that it meets before the instruction `issue`: an order that was meant.
  std::optional<std::pair<EventId, EventId>> meeting(EventId e, EventId issue) const {
    for (const auto& [arrival, wait] : met_) {
      const bool here = event(arrival).thread == event(e).thread && arrival > e;
      if (here && event(wait).thread == event(issue).thread && wait < issue) return std::pair(arrival, wait);
    }
    return std::nullopt;
  }
  std::optional<std::pair<EventId, EventId>> meeting_before(const AsyncStory& story) const {
    return meeting(story.other, event(story.copy).issue);
  }
  // Something of the reader's thread behind the read reaches the copy's instruction.
  bool issue_is_awaited(EventId r, EventId issue) const {
    return std::any_of(bc_.begin(), bc_.end(), [&](const auto& pair) {
      return pair.second == issue && event(pair.first).thread == event(r).thread && pair.first >= r;
    });
  }

  // A change of the tensor map that the copy reads, before the copy: which fences stand between?
  bool find_map_fences(AsyncStory& story) const {
    if (event(story.copy).labels.proxy != isa::Proxy::tensormap) return false;
    const EventId issue = event(story.copy).issue;
    const PairSet observed = pairs("obs"), covers = pairs("pf-any");
    const auto joins = [&](const auto& pair) {
      return event(pair.first).thread == event(story.other).thread && pair.first > story.other &&
             event(pair.second).thread == event(issue).thread && pair.second < issue;
    };
    story.synchronized = bc_.contains({story.other, story.copy}) ||
                         std::any_of(observed.begin(), observed.end(), joins) ||
                         std::any_of(met_.begin(), met_.end(), joins);
    if (!story.synchronized && !story.other_first) return false;
    story.other_first = true;
    for (EventId e = 0; e < graph_.size(); ++e) {
      const bool fence =
          event(e).kind == EventKind::proxy_fence && exists(e) && covers.contains({e, story.copy});
      if (!fence) continue;
      const bool releases = event(e).labels.semantics == isa::Semantics::release;
      if (releases && event(e).thread == event(story.other).thread && e > story.other &&
          story.signal == kNoEvent) {
        story.signal = e;
      }
      if (!releases && event(e).thread == event(issue).thread && e < issue) story.wait = e;
    }
    return true;
  }

  // A fence.proxy.async that is there but in the wrong place, or does too little.
  EventId proxy_fence(const AsyncStory& story) const {
    for (EventId e = 0; e < graph_.size(); ++e) {
      const bool fence =
          event(e).kind == EventKind::proxy_fence && event(e).labels.proxy == isa::Proxy::async;
      const bool near =
          event(e).thread == event(story.copy).thread || event(e).thread == event(story.other).thread;
      if (fence && exists(e) && near) return e;
    }
    return kNoEvent;
  }

  // The copy should be over before the other access: what stands there instead?
  void find_completion(AsyncStory& story) const {
    story.kind = AsyncStory::Kind::not_awaited;
    const EventId issue = event(story.copy).issue;
    const EventId until = is_async(story.other) ? event(story.other).issue : story.other;
    const auto before = [&](EventId e) {
      return exists(e) && event(e).thread == event(until).thread && e < until;
    };
    for (const auto& [access, wait] : graph_.completed) {
      if (event(access).issue == issue && access != story.copy && event(story.copy).is_write() &&
          before(wait)) {
        story.kind = AsyncStory::Kind::reads_only;
        story.wait = wait;
        return;
      }
    }
    for (const auto& [access, signal] : graph_.tracked) {
      if (access != story.copy) continue;
      story.signal = signal;
      for (EventId w = 0; w < graph_.size(); ++w) {
        if (event(w).kind != EventKind::wait || !before(w) || !same_object(signal, w)) continue;
        story.wait = w;
        story.kind =
            met_.contains({signal, w}) ? AsyncStory::Kind::not_awaited : AsyncStory::Kind::other_phase;
      }
    }
    if (story.signal != kNoEvent) return;
    for (const EventId w : group_waits()) {
      if (w > issue && before(w)) {
        story.kind = AsyncStory::Kind::group_pending;
        story.wait = w;
      }
    }
  }
  bool same_object(EventId signal, EventId wait) const {
    const auto &a = event(signal).mbarrier, &b = event(wait).mbarrier;
    return a && b && a->owner == b->owner && a->object == b->object;
  }
  std::vector<EventId> group_waits() const {
    std::vector<EventId> out;
    for (EventId e = 0; e < graph_.size(); ++e) {
      const bool waits = event(e).kind == EventKind::group && event(e).text.find("wait") != std::string::npos;
      if (waits) out.push_back(e);
    }
    return out;
  }

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  const NaiveInput input_;
  const PairSet bc_, met_;
};

}  // namespace

std::optional<AsyncStory> diagnose_async(const engine::Query& query, EventId a, EventId b,
                                         const engine::State& racing) {
  const auto& events = query.graph.events;
  if (events[a].issue == kNoEvent && events[b].issue == kNoEvent) return std::nullopt;
  return AsyncDiagnostician(query, racing).tell(a, b);
}

std::optional<std::pair<EventId, EventId>> missed_phase(const engine::Query& query, EventId a, EventId b,
                                                        const engine::State& racing) {
  if (query.graph.events[a].thread == query.graph.events[b].thread) return std::nullopt;
  const AsyncDiagnostician diagnostician(query, racing);
  if (const auto found = diagnostician.missed_phase(a, b)) return found;
  return diagnostician.missed_phase(b, a);
}

}  // namespace ptxmc::check

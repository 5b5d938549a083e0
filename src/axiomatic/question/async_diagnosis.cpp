// SPDX-License-Identifier: Apache-2.0
// Races of asynchronous operations.
//
// Such an operation is ordered after what precedes its instruction, and before any thread that waits for it:
// for its group, or for the phase of the mbarrier object that its completion counts in (8.9.1.1, 9.7.8.24).
// So there are few ways to go wrong, and each is a remedy: a fence of its proxy, a wait for it, wgmma.fence,
// stronger instructions on the way to the other thread, or a way there. Sets of remedies are tried from the
// smallest; an engine says whether one removes the race. The first that does is the reason, and what is
// advised is that set, cut down to single places. A meeting of the two threads that is not there is the last
// resort: whatever else is there was meant to order them.
//
// Which of the two accesses comes first is what the racing execution suggests (AsyncView::comes_first), unless
// less helps the other way round.
#include "axiomatic/question/async_diagnosis.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "axiomatic/question/async_view.h"
#include "axiomatic/question/counterfactual.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::kNoEvent;
using isa::Proxy;

namespace {

/// The set with the lower number is tried first among sets of one size.
enum Remedy : unsigned {
  kStart = 1U << 0,  // before kFence, which starts a product, too
  kFence = 1U << 1,
  kCompletion = 1U << 2,
  kScope = 1U << 3,
  kOrder = 1U << 4,
  kStrength = 1U << 5,
  kMeeting = 1U << 6,
};
constexpr unsigned kAllRemedies = (1U << 7) - 1;

/// A wait for the first operation: one that is there, for something else, or one that is not.
struct Completion {
  AsyncStory::Kind kind = AsyncStory::Kind::not_awaited;
  EventId wait = kNoEvent;
  std::vector<std::pair<EventId, EventId>> pairs;
  bool at_issue = false;  ///< in the thread of the operation
};

/// What is asked about one direction.
struct Direction {
  EventId first = kNoEvent, second = kNoEvent;
  std::vector<Completion> completions;
  unsigned applicable = 0;
};

struct FoundRemedies {
  unsigned remedies = 0;
  Hypothesis hypothesis;
  Level target = Level::always;
  std::optional<Completion> completion;
  bool behind_first = false, before_second = false;
};

/// The lower, the better the explanation.
std::tuple<bool, bool, int> rank(const FoundRemedies& found) {
  return {(found.remedies & kMeeting) != 0, found.target != Level::always, std::popcount(found.remedies)};
}

class AsyncDiagnostician {
  using Kind = AsyncStory::Kind;

 public:
  AsyncDiagnostician(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                     const engine::State& racing, const Solve& solve)
      : graph_(query.graph), view_(query, racing), racing_(racing), ask_(query, flag, a, b, solve) {
    const bool both = view_.is_async(a) && view_.is_async(b);
    story_.copy = view_.is_async(a) ? a : b;
    if (both && event(a).issue < event(b).issue) story_.copy = a;  // the earlier one is to be waited for
    story_.other = story_.copy == a ? b : a;
    story_.other_first =
        both ? view_.ordered(story_.other, story_.copy) : view_.comes_first(story_.other, story_.copy);
  }

  Diagnosis run() {
    Diagnosis out;
    try {
      if (!ask_.enumerable()) return out;
      std::optional<FoundRemedies> found = search(story_.other_first), reversed = search(!story_.other_first);
      if (reversed && (!found || rank(*reversed) < rank(*found))) {
        story_.other_first = !story_.other_first;
        found = std::move(reversed);
      }
      if (found) {
        tell(*found, out);
      } else {
        out.missing = {Missing::synchronization};
        out.unadvised = true;
      }
    } catch (const GaveUp& gave_up) {
      out = {};
      out.unknown = gave_up.reason;
    }
    return out;
  }

 private:
  const Event& event(EventId e) const { return graph_.events[e]; }
  EventId instruction(EventId access) const { return instruction_of(graph_, access); }
  bool one_thread(EventId a, EventId b) const { return event(a).thread == event(b).thread; }

  // ---- remedies
  Direction direction(bool other_first) const;
  std::vector<std::pair<EventId, EventId>> in_turn(EventId from, EventId to) const;
  std::vector<EventId> accesses_of(EventId e) const;
  void add_waits_there(Direction& d) const;
  void add_wait_elsewhere(Direction& d) const;
  Hypothesis build(const Direction& d, unsigned remedies) const;
  void add_fences(const Direction& d, bool behind_first, bool before_second, Hypothesis& out) const;
  void add_meeting(const Direction& d, bool completed, Hypothesis& out) const;
  std::vector<Proxy> proxies(const Direction& d) const;

  // ---- search
  std::optional<FoundRemedies> search(bool other_first) const;
  bool choose_completion(const Direction& d, FoundRemedies& found) const;
  void choose_fences(const Direction& d, FoundRemedies& found) const;

  // ---- words
  void tell(const FoundRemedies& found, Diagnosis& out);
  void find_map_fences();
  EventId near_fence() const;

  const event::ProgramGraph& graph_;
  const AsyncView view_;
  const engine::State& racing_;
  const Counterfactual ask_;
  AsyncStory story_;
};

// ---- Remedies

// The accesses of the same instruction, turn by turn, that do the same thing through the same proxy.
std::vector<EventId> AsyncDiagnostician::accesses_of(EventId e) const {
  std::vector<EventId> out = ask_.accesses_like(e);
  std::erase_if(out, [&](EventId x) {
    return event(x).is_write() != event(e).is_write() || event(x).labels.proxy != event(e).labels.proxy;
  });
  return out;
}

// Each access of one instruction with the events like `to`: in one thread with all behind it, else turn by turn
// where both have several.
std::vector<std::pair<EventId, EventId>> AsyncDiagnostician::in_turn(EventId from, EventId to) const {
  std::vector<EventId> targets, turns_to, turns_from;
  const auto number = [&](EventId e, std::vector<EventId>& turns) {
    const EventId turn = turn_of(graph_, e);
    const auto known = std::find(turns.begin(), turns.end(), turn);
    if (known != turns.end()) return known - turns.begin();
    turns.push_back(turn);
    return static_cast<std::ptrdiff_t>(turns.size()) - 1;
  };
  for (EventId e = 0; e < graph_.size(); ++e) {
    const bool like = ask_.keys()[e] == ask_.keys()[to] && event(e).kind == event(to).kind;
    if (like && (event(e).issue == kNoEvent) == (event(to).issue == kNoEvent)) targets.push_back(e);
  }
  const std::vector<EventId> sources = accesses_of(from);
  for (const EventId x : sources) number(x, turns_from);
  for (const EventId y : targets) number(y, turns_to);
  const bool matched = turns_from.size() > 1 && turns_to.size() > 1;
  std::vector<std::pair<EventId, EventId>> out;
  for (const EventId x : sources) {
    for (const EventId y : targets) {
      const bool fits =
          one_thread(x, y) ? y > instruction(x) : !matched || number(x, turns_from) == number(y, turns_to);
      if (fits) out.emplace_back(x, y);
    }
  }
  return out;
}

// Waits that are there, for another phase or another group.
void AsyncDiagnostician::add_waits_there(Direction& d) const {
  const EventId until = instruction(d.second);
  const EventId signal = view_.signal_of(d.first);
  if (signal != kNoEvent) {
    for (EventId w = 0; w < graph_.size(); ++w) {
      const bool waits = event(w).kind == event::EventKind::wait && view_.same_object(signal, w);
      const bool early = !one_thread(w, until) || w < until;
      if (waits && early && !view_.met(signal, w))
        d.completions.push_back({Kind::other_phase, w, in_turn(d.first, w)});
    }
    std::stable_sort(d.completions.begin(), d.completions.end(),
                     [&](const Completion& a, const Completion& b) {
                       return one_thread(a.wait, until) > one_thread(b.wait, until);
                     });
    return;
  }
  for (const EventId w : view_.group_waits(d.first)) {
    const bool reads = std::any_of(graph_.completed.begin(), graph_.completed.end(), [&](const auto& pair) {
      return pair.second == w && event(pair.first).issue == event(d.first).issue && pair.first != d.first;
    });
    const Kind kind = reads && event(d.first).is_write() ? Kind::reads_only
                      : view_.committed(d.first, w)      ? Kind::group_pending
                                                         : Kind::not_committed;
    d.completions.push_back({kind, w, in_turn(d.first, w)});
  }
}

// A wait that is not there: before the second access where its thread can wait for the mbarrier object, which is
// in its own thread block; else right behind the instruction, in the thread of the operation.
void AsyncDiagnostician::add_wait_elsewhere(Direction& d) const {
  const EventId signal = view_.signal_of(d.first), until = instruction(d.second);
  const std::vector<EventId> waits = view_.completing_waits(d.first);
  const bool awaited =
      std::any_of(waits.begin(), waits.end(), [&](EventId w) { return one_thread(w, until) && w < until; });
  if (awaited) return;
  const bool in_reach =
      signal != kNoEvent && graph_.threads[event(until).thread].cta == event(signal).mbarrier->owner;
  Completion wait{Kind::not_awaited, kNoEvent, {}};
  wait.at_issue = !in_reach;
  if (in_reach || (one_thread(d.first, until) && event(d.first).issue < until)) {
    wait.pairs = in_turn(d.first, until);
  } else {
    for (const EventId x : accesses_of(d.first)) {
      const EventId next = behind(graph_, instruction(x));
      if (next != kNoEvent) wait.pairs.emplace_back(x, next);
    }
  }
  if (!wait.pairs.empty()) d.completions.push_back(std::move(wait));
}

Direction AsyncDiagnostician::direction(bool other_first) const {
  Direction d;
  d.first = other_first ? story_.other : story_.copy;
  d.second = other_first ? story_.copy : story_.other;
  d.applicable = kScope | kOrder | kStrength;
  if (!proxies(d).empty()) d.applicable |= kFence;
  if (view_.is_async(d.first)) {
    add_waits_there(d);
    add_wait_elsewhere(d);
  }
  if (!d.completions.empty()) d.applicable |= kCompletion;
  const EventId until = instruction(d.second);
  if (event(until).labels.wgmma) d.applicable |= kStart;
  if (!one_thread(d.first, d.second)) d.applicable |= kMeeting;
  return d;
}

// Those proxies of the two that a fence is for.
std::vector<Proxy> AsyncDiagnostician::proxies(const Direction& d) const {
  std::vector<Proxy> out;
  for (const EventId e : {d.first, d.second}) {
    const Proxy proxy = event(e).labels.proxy;
    const bool fenced = proxy != Proxy::generic && proxy != Proxy::tensor;
    if (fenced && std::find(out.begin(), out.end(), proxy) == out.end()) out.push_back(proxy);
  }
  return out;
}

void AsyncDiagnostician::add_fences(const Direction& d, bool behind_first, bool before_second,
                                    Hypothesis& out) const {
  const auto put = [&](EventId turn, bool behind) {
    for (const Proxy proxy : proxies(d)) {
      if (proxy != Proxy::tensormap) out.inserted.push_back(proxy_fence(turn, behind, proxy));
    }
  };
  const std::vector<EventId> firsts = turns_of(graph_, accesses_of(d.first));
  const std::vector<EventId> seconds = accesses_of(d.second);
  if (behind_first) {
    for (const EventId x : firsts) put(x, true);
  }
  if (before_second) {
    for (const EventId y : turns_of(graph_, seconds)) put(y, false);
  }
  if (event(d.second).labels.proxy != Proxy::tensormap) return;
  // A tensor map that was changed: the two halves.
  for (const EventId x : firsts) {
    if (behind_first) out.inserted.push_back(proxy_fence(x, true, Proxy::tensormap, isa::Semantics::release));
  }
  for (const EventId y : seconds) {
    if (!before_second) continue;
    out.inserted.push_back(proxy_fence(instruction(y), false, Proxy::tensormap, isa::Semantics::acquire));
    for (std::size_t k = 0; k < graph_.slots_of(y); ++k)
      out.inserted.back().instruction.named.push_back(graph_.slot(graph_.slot_of(y, k)).cell);
  }
}

// What the two threads lack: from the first access, or from where its thread knows that it is over.
void AsyncDiagnostician::add_meeting(const Direction& d, bool completed, Hypothesis& out) const {
  const std::vector<EventId> seconds = accesses_of(d.second);
  const auto join = [&](EventId from) {
    if (from != kNoEvent && !one_thread(from, d.second))
      out.ordered.emplace_back(from, instruction(d.second));
  };
  if (!view_.is_async(d.first)) return join(d.first);
  for (const EventId wait : view_.completing_waits(d.first)) join(wait);
  if (!completed) return;
  for (const Completion& completion : d.completions) {
    for (const auto& [access, at] : completion.pairs) join(at);
  }
}

Hypothesis AsyncDiagnostician::build(const Direction& d, unsigned remedies) const {
  AspectMask aspects = 0;
  if ((remedies & kScope) != 0) aspects |= bit(Aspect::scope);
  if ((remedies & kOrder) != 0) aspects |= bit(Aspect::order);
  if ((remedies & kStrength) != 0) aspects |= bit(Aspect::strength);
  Hypothesis out{ask_.with(aspects), {}, {}, {}};
  if ((remedies & kFence) != 0) add_fences(d, true, true, out);
  if ((remedies & kCompletion) != 0) {
    for (const Completion& completion : d.completions)
      out.completed.insert(out.completed.end(), completion.pairs.begin(), completion.pairs.end());
  }
  if ((remedies & kStart) != 0) {
    for (const EventId y : turns_of(graph_, accesses_of(d.second))) out.inserted.push_back(wgmma_fence(y));
  }
  if ((remedies & kMeeting) != 0) add_meeting(d, (remedies & kCompletion) != 0, out);
  return out;
}

// ---- Search

std::optional<FoundRemedies> AsyncDiagnostician::search(bool other_first) const {
  const Direction d = direction(other_first);
  std::vector<unsigned> sets;
  for (unsigned set = 0; set <= kAllRemedies; ++set) {
    if ((set & ~d.applicable) == 0) sets.push_back(set);
  }
  const auto size = [](unsigned set) { return std::pair((set & kMeeting) != 0, std::popcount(set)); };
  std::stable_sort(sets.begin(), sets.end(), [&](unsigned a, unsigned b) { return size(a) < size(b); });
  for (const unsigned limit : {d.applicable & ~static_cast<unsigned>(kMeeting), d.applicable}) {
    const Level target = ask_.level(build(d, limit));
    if (target == Level::never) continue;
    for (const unsigned set : sets) {
      if ((set & ~limit) != 0) continue;
      FoundRemedies found{set, build(d, set), target, std::nullopt, false, false};
      if (set != limit && !ask_.reaches(found.hypothesis, target)) continue;
      ask_.minimise(found.hypothesis, target);
      if (ask_.far_fetched(found.hypothesis, target)) continue;
      ask_.narrow(found.hypothesis, target);
      if ((set & kCompletion) != 0 && !choose_completion(d, found)) continue;
      if ((set & kFence) != 0) choose_fences(d, found);
      return found;
    }
  }
  return std::nullopt;
}

// One wait of those that were tried together.
bool AsyncDiagnostician::choose_completion(const Direction& d, FoundRemedies& found) const {
  for (const Completion& completion : d.completions) {
    Hypothesis one = found.hypothesis;
    one.completed = completion.pairs;
    if ((found.remedies & kMeeting) != 0) {
      Direction only = d;
      only.completions = {completion};
      one.ordered.clear();
      add_meeting(only, true, one);
    }
    if (!ask_.reaches(one, found.target)) continue;
    found.hypothesis = std::move(one);
    found.completion = completion;
    return true;
  }
  return false;
}

// One fence where that is enough: where the access leaves the generic proxy, or enters it.
void AsyncDiagnostician::choose_fences(const Direction& d, FoundRemedies& found) const {
  const bool generic_first = event(d.first).labels.proxy == Proxy::generic;
  found.behind_first = found.before_second = true;
  for (const bool behind_first : {generic_first, !generic_first}) {
    Hypothesis one = found.hypothesis;
    std::erase_if(one.inserted, [](const Insertion& insertion) {
      return insertion.instruction.kind == event::EventKind::proxy_fence;
    });
    add_fences(d, behind_first, !behind_first, one);
    if (!ask_.reaches(one, found.target)) continue;
    found.hypothesis = std::move(one);
    found.behind_first = behind_first;
    found.before_second = !behind_first;
    return;
  }
}

// ---- What was found, as a story

void AsyncDiagnostician::tell(const FoundRemedies& found, Diagnosis& out) {
  const auto uses = [&](unsigned remedy) { return (found.remedies & remedy) != 0; };
  ask_.tell(found.hypothesis, out);
  if (found.target == Level::sometimes) {
    out.missing.push_back(Missing::wait);
    out.awaited = ask_.awaited(found.hypothesis, racing_);
  }
  story_.signal = view_.signal_of(story_.copy);
  if (found.completion) {
    story_.kinds.push_back(found.completion->kind);
    story_.wait = found.completion->wait;
    story_.waits_at_issue = found.completion->at_issue;
  }
  if (uses(kMeeting)) {
    const bool overwrites = event(story_.copy).is_write() && event(story_.other).is_read();
    story_.kinds.push_back(!story_.other_first ? Kind::not_published
                           : overwrites        ? Kind::reuse
                                               : Kind::unordered);
  }
  if (uses(kStart)) story_.kinds.push_back(Kind::not_started);
  if (uses(kFence)) {
    const bool map = event(story_.copy).labels.proxy == Proxy::tensormap;
    story_.kinds.push_back(map ? Kind::map_fences : Kind::proxy);
    story_.behind_first = found.behind_first;
    story_.before_second = found.before_second;
    if (map) find_map_fences();
    if (!map) story_.fence = near_fence();
  }
  out.async = story_;
}

// Fences of the tensormap proxy that are there: a release behind the change, an acquire of the map before the copy.
void AsyncDiagnostician::find_map_fences() {
  const EventId issue = event(story_.copy).issue;
  for (EventId e = 0; e < graph_.size(); ++e) {
    const bool fence = event(e).kind == event::EventKind::proxy_fence &&
                       event(e).labels.proxy == Proxy::tensormap && view_.exists(e);
    if (!fence) continue;
    const bool releases = event(e).labels.semantics == isa::Semantics::release;
    const bool covers = releases || std::find(event(e).named.begin(), event(e).named.end(),
                                              event(story_.copy).cell) != event(e).named.end();
    if (releases && one_thread(e, story_.other) && e > story_.other && story_.release == kNoEvent)
      story_.release = e;
    if (!releases && covers && one_thread(e, issue) && e < issue) story_.acquire = e;
  }
}

// A fence.proxy.async that is there but in the wrong place, or does too little.
EventId AsyncDiagnostician::near_fence() const {
  for (EventId e = 0; e < graph_.size(); ++e) {
    const bool fence =
        event(e).kind == event::EventKind::proxy_fence && event(e).labels.proxy == Proxy::async;
    if (fence && view_.exists(e) && (one_thread(e, story_.copy) || one_thread(e, story_.other))) return e;
  }
  return kNoEvent;
}

}  // namespace

std::optional<Diagnosis> diagnose_async(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                                        const engine::State& racing, const Solve& solve) {
  const auto& events = query.graph.events;
  if (events[a].issue == kNoEvent && events[b].issue == kNoEvent) return std::nullopt;
  return AsyncDiagnostician(query, flag, a, b, racing, solve).run();
}

std::optional<std::pair<EventId, EventId>> missed_phase(const engine::Query& query, EventId a, EventId b,
                                                        const engine::State& racing) {
  if (query.graph.events[a].thread == query.graph.events[b].thread) return std::nullopt;
  const AsyncView view(query, racing);
  if (const auto found = view.missed_phase(a, b)) return found;
  return view.missed_phase(b, a);
}

}  // namespace ptxmc::check

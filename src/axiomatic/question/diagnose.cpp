// SPDX-License-Identifier: Apache-2.0
// What is missing between two accesses that race.
//
// Counterfactuals: strengthen the program's instructions (scopes to .sys, weak accesses other than the two to
// relaxed, strong ones to acquire and release, all proxies and aliases to one), ask the engine again about
// this pair alone, and keep the fewest strengthenings that still help. What they are names what is missing.
// Nothing here knows why a model orders two accesses, so it holds for a user's model and flag too.
//
// Cost: one query for each of at most 15 sets of aspects, then some for each instruction that changes; small
// programs, since a race needs few instructions. What is advised besides (a fence, a wait, a barrier) is a
// hypothesis too, and is left out where it does not remove the race.
#include <algorithm>
#include <bit>

#include "axiomatic/question/counterfactual.h"
#include "axiomatic/question/definition.h"
#include "axiomatic/question/races.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using isa::Proxy;
using isa::Semantics;

namespace {

class Diagnostician {
 public:
  Diagnostician(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                const engine::State& racing, const Solve& solve)
      : query_(query),
        graph_(query.graph),
        a_(a),
        b_(b),
        racing_(racing),
        ask_(query, flag, a, b, solve),
        keys_(ask_.keys()),
        locations_(query.base.relations.at(query.signature.find("ploc").value())) {}

  Diagnosis run() {
    try {
      if (!ask_.enumerable() || one_weak()) return out_;
      search();
    } catch (const GaveUp& gave_up) {
      out_ = {};
      out_.unknown = gave_up.reason;
    }
    return out_;
  }

 private:
  const Event& event(EventId e) const { return graph_.events[e]; }
  bool weak(EventId e) const { return event(e).labels.semantics == Semantics::weak; }
  Hypothesis no_change() const { return {ask_.no_steps(), {}, {}, {}}; }
  Hypothesis with(AspectMask mask) const { return {ask_.with(mask), {}, {}, {}}; }

  // ---- the two accesses themselves
  bool make_strong(std::initializer_list<EventId> accesses);
  bool one_weak();
  bool weak_flag();

  // ---- everything else
  void search();
  bool same_place(EventId e) const;
  bool drop_proxies(Hypothesis& hypothesis, bool of_pair, Level target) const;
  void minimise(Hypothesis& hypothesis, Level target) const;
  void conclude(const Hypothesis& hypothesis, Level target);
  void nothing_helps();
  bool order_helps();
  void add_fences(Hypothesis& hypothesis) const;
  bool fences_help(Hypothesis hypothesis, Level target) const;
  void need_mapping(const Hypothesis& hypothesis, Level target);
  void need_one_name();
  void need_fences(EventId first, const PairSet* order);

  const engine::Query& query_;
  const event::ProgramGraph& graph_;
  const EventId a_, b_;
  const engine::State& racing_;
  const Counterfactual ask_;
  const std::vector<std::size_t>& keys_;
  const relation::BitMatrix& locations_;
  Diagnosis out_;
};

// ---- The two accesses themselves
// -----------------------------------------------------------------------------

// Making just these strong lets the pair race: says so, in the narrowest scope that does.
bool Diagnostician::make_strong(std::initializer_list<EventId> accesses) {
  Hypothesis hypothesis = no_change();
  for (const EventId e : accesses) hypothesis.steps[keys_[e]].aspects = bit(Aspect::strength);
  if (!ask_.always(hypothesis)) return false;
  ask_.narrow(hypothesis, Level::always);
  out_.missing = {Missing::strength};
  out_.changes = ask_.changes(hypothesis);
  return true;
}

// A strong access races with a weak one: its author expected concurrent accesses here.
bool Diagnostician::one_weak() {
  if (weak(a_) == weak(b_)) return false;
  return make_strong({weak(a_) ? a_ : b_});
}

// Both are weak, and the location decides control flow: a flag.
bool Diagnostician::weak_flag() {
  const std::vector<int>& flagness = ask_.flagness();
  if (!weak(a_) || !weak(b_) || (flagness[keys_[a_]] == 0 && flagness[keys_[b_]] == 0)) return false;
  return make_strong({a_, b_});
}

// ---- Everything else
// -----------------------------------------------------------------------------------------

void Diagnostician::search() {
  const Level target = ask_.level(with(kAllAspects));
  if (target == Level::never) return nothing_helps();
  std::vector<AspectMask> masks;
  for (unsigned mask = 0; mask <= kAllAspects; ++mask) masks.push_back(static_cast<AspectMask>(mask));
  std::stable_sort(masks.begin(), masks.end(),
                   [](AspectMask a, AspectMask b) { return std::popcount(a) < std::popcount(b); });
  for (const AspectMask mask : masks) {
    Hypothesis hypothesis = with(mask);
    if (mask != kAllAspects && !ask_.reaches(hypothesis, target)) continue;
    minimise(hypothesis, target);
    ask_.narrow(hypothesis, target);
    return conclude(hypothesis, target);
  }
}

// Is the event at the location of the two accesses?
bool Diagnostician::same_place(EventId e) const {
  return e == a_ || locations_.test(a_, e);
}

bool Diagnostician::drop_proxies(Hypothesis& hypothesis, bool of_pair, Level target) const {
  Hypothesis fewer = hypothesis;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).is_access() && same_place(e) == of_pair)
      fewer.steps[keys_[e]].aspects &= static_cast<AspectMask>(~bit(Aspect::proxy));
  }
  const bool enough = ask_.reaches(fewer, target);
  if (enough) hypothesis = std::move(fewer);
  return enough;
}

// Proxies stay or go for the two accesses' location, and for all others.
void Diagnostician::minimise(Hypothesis& hypothesis, Level target) const {
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (!event(e).is_access())
      hypothesis.steps[keys_[e]].aspects &= static_cast<AspectMask>(~bit(Aspect::proxy));
  }
  drop_proxies(hypothesis, false, target);
  drop_proxies(hypothesis, true, target);
  ask_.minimise(hypothesis, target);
}

void Diagnostician::conclude(const Hypothesis& hypothesis, Level target) {
  if (ask_.far_fetched(hypothesis, target)) return nothing_helps();
  ask_.tell(hypothesis, out_);
  if (uses(hypothesis, Aspect::proxy)) need_mapping(hypothesis, target);
  if (target == Level::sometimes) {
    out_.missing.push_back(Missing::wait);
    out_.awaited = ask_.awaited(hypothesis, racing_);
  }
}

void Diagnostician::nothing_helps() {
  if (weak_flag()) return;
  out_.missing = {Missing::synchronization};
  out_.unadvised = !order_helps();
}

// A meeting of the two threads, either way round, with fences where it takes them.
bool Diagnostician::order_helps() {
  for (const EventId first : {a_, b_}) {
    const EventId second = first == a_ ? b_ : a_;
    Hypothesis hypothesis = no_change();
    hypothesis.ordered.emplace_back(first, second);
    if (ask_.always(hypothesis)) return true;
    need_fences(first, nullptr);
    add_fences(hypothesis);
    if (ask_.always(hypothesis)) {
      out_.missing.push_back(Missing::proxy_fence);
      return true;
    }
    out_.fences.clear();
  }
  return false;
}

// The fences that are advised, at both ends of where they may stand.
void Diagnostician::add_fences(Hypothesis& hypothesis) const {
  const auto put = [&](EventId access, bool behind, Proxy kind) {
    for (const EventId turn : turns_of(graph_, ask_.accesses_like(access)))
      hypothesis.inserted.push_back(proxy_fence(turn, behind, kind));
  };
  for (const FenceAdvice& fence : out_.fences) {
    put(fence.after, true, fence.kind);
    put(fence.before, false, fence.kind);
  }
}

// Fences in place of the one proxy for all that the hypothesis has at the location.
bool Diagnostician::fences_help(Hypothesis hypothesis, Level target) const {
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).is_access() && same_place(e))
      hypothesis.steps[keys_[e]].aspects &= static_cast<AspectMask>(~bit(Aspect::proxy));
  }
  add_fences(hypothesis);
  return ask_.reaches(hypothesis, target);
}

// What the proxies of the remaining steps say. Which way round the two are ordered: as base causality has it
// in the racing execution, where the model defines that; else the write first.
void Diagnostician::need_mapping(const Hypothesis& hypothesis, Level target) {
  const auto proxied = [&](EventId e) {
    return (hypothesis.steps[keys_[e]].aspects & bit(Aspect::proxy)) != 0;
  };
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).thread != event::kNoThread && event(e).is_access() && !same_place(e) && proxied(e))
      out_.mapped.push_back(e);
  }
  need_one_name();
  if (proxied(a_)) {
    EventId first = event(b_).is_write() && !event(a_).is_write() ? b_ : a_;
    const NaiveInput input{graph_,       query_.base,     query_.signature,
                           query_.model, racing_.witness, query_.budget};
    const std::optional<PairSet> bc = evaluate_role(input, model::Role::base_causality);
    const PairSet* order = bc ? &*bc : nullptr;
    const bool forth = order != nullptr && order->contains({a_, b_});
    const bool back = order != nullptr && order->contains({b_, a_});
    const bool one_thread = event(a_).thread == event(b_).thread;
    if (one_thread || forth) first = a_;
    if (!one_thread && back) first = b_;
    // Strong accesses that nothing orders were meant to race: a fence would not help.
    const bool meant = target == Level::always && !weak(a_) && !weak(b_) && !one_thread && !forth && !back;
    if (meant) out_.mapped.insert(out_.mapped.end(), {a_, b_});
    if (!meant) need_fences(first, order);
  }
  if (!out_.fences.empty()) {
    out_.missing.push_back(Missing::proxy_fence);
    if (!fences_help(hypothesis, target)) out_.fences.clear();
  }
  if (!out_.mapped.empty()) out_.missing.push_back(Missing::mapping);
}

// The mapped accesses of locations that have several names or another proxy; one an instruction.
void Diagnostician::need_one_name() {
  std::vector<EventId> kept;
  for (const EventId e : out_.mapped) {
    const bool mixed = std::any_of(out_.mapped.begin(), out_.mapped.end(), [&](EventId other) {
      const event::Labels &x = event(e).labels, &y = event(other).labels;
      return (other == e || locations_.test(e, other)) &&
             (x.proxy != Proxy::generic || y.proxy != Proxy::generic || x.generic_name != y.generic_name);
    });
    const bool listed =
        std::any_of(kept.begin(), kept.end(), [&](EventId k) { return keys_[k] == keys_[e]; });
    if (mixed && !listed) kept.push_back(e);
  }
  out_.mapped = std::move(kept);
}

// A fence of each proxy that is not the generic one, else of the alias; less those that stand right already.
void Diagnostician::need_fences(EventId first, const PairSet* order) {
  const EventId second = first == a_ ? b_ : a_;
  const auto need = [&](Proxy kind, EventId own) {
    bool present = false, placed = false;
    for (EventId f = 0; f < graph_.size(); ++f) {
      if (event(f).kind != event::EventKind::proxy_fence || event(f).labels.proxy != kind) continue;
      present = true;
      const bool between = order != nullptr && order->contains({first, f}) && order->contains({f, second});
      const auto cta = [&](EventId e) { return graph_.threads[event(e).thread].cta; };
      placed |= between && kind != Proxy::alias && cta(f) == cta(own);
    }
    if (!placed) out_.fences.push_back({kind, first, second, present});
  };
  for (const EventId e : {first, second}) {
    if (event(e).labels.proxy != Proxy::generic) need(event(e).labels.proxy, e);
  }
  const bool same = out_.fences.size() == 2 && out_.fences[0].kind == out_.fences[1].kind;
  const bool one_block = graph_.threads[event(a_).thread].cta == graph_.threads[event(b_).thread].cta;
  if (same && one_block) out_.fences.pop_back();
  if (!out_.fences.empty()) return;
  // Both are generic: what lies between them at their location is not.
  Proxy kind = Proxy::alias;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).is_access() && same_place(e) && event(e).labels.proxy != Proxy::generic)
      kind = event(e).labels.proxy;
  }
  need(kind, first);
}

}  // namespace

Diagnosis diagnose(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                   const engine::State& racing, const Solve& solve) {
  return Diagnostician(query, flag, a, b, racing, solve).run();
}

}  // namespace ptxmc::check

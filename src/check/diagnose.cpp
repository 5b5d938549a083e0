// SPDX-License-Identifier: Apache-2.0
// What is missing between two accesses that race.
//
// Counterfactuals: strengthen the program's instructions (scopes to .sys, weak accesses other than the two to
// relaxed, strong ones to acquire and release, all proxies and aliases to one), ask the engine again about
// this pair alone, and keep the fewest strengthenings that still help. What they are names what is missing.
// Nothing here knows why a model orders two accesses, so it holds for a user's model and flag too.
//
// How far a variant of the program orders the pair is a level: never (whenever both exist they race),
// sometimes, always. A reader that does not wait for its flag is at best ordered sometimes, so the level to
// reach is that of the strongest variant, not `always`. One query answers whether a variant reaches a level.
// Cost: one query for each of at most 15 sets of aspects, then some for each instruction that changes; small
// programs, since a race needs few instructions.
#include <algorithm>
#include <bit>

#include "check/definition.h"
#include "check/flag_probe.h"
#include "check/races.h"
#include "check/strengthening.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

namespace {

enum class Level : std::uint8_t { never, sometimes, always };

/// An engine gave up on a counterfactual.
struct GaveUp {
  std::string reason;
};

class Diagnostician {
 public:
  Diagnostician(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                const engine::State& racing, const Solve& solve)
      : query_(query),
        graph_(query.graph),
        a_(a),
        b_(b),
        racing_(racing),
        solve_(solve),
        probe_(query, flag),
        keys_(instruction_keys(query.graph)),
        flagness_(flagness(query.graph, keys_)),
        locations_(query.base.relations.at(query.signature.find("ploc").value())),
        pair_(query.graph.size()) {
    for (EventId x = 0; x < graph_.size(); ++x) {
      for (EventId y = 0; y < graph_.size(); ++y) {
        if (x == y || keys_[x] != keys_[a] || keys_[y] != keys_[b]) continue;
        pair_.set(x, y);
        pair_.set(y, x);
      }
    }
  }

  Diagnosis run() {
    try {
      if (!probe_.enumerable() || one_weak()) return out_;
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
  bool of_pair(std::size_t key) const { return key == keys_[a_] || key == keys_[b_]; }
  Steps no_steps() const { return Steps(flagness_.size()); }

  // ---- questions
  engine::Result ask(Probe probe, const Steps& steps) const {
    engine::Result result = probe_.ask(probe, pair_, stepped(graph_, keys_, steps), solve_);
    if (result.states.empty() && !result.complete)
      throw GaveUp{result.unknown.empty() ? "incomplete" : result.unknown};
    return result;
  }
  bool always(const Steps& steps) const { return ask(Probe::within, steps).states.empty(); }
  bool sometimes(const Steps& steps) const { return !ask(Probe::spared, steps).states.empty(); }
  Level level(const Steps& steps) const {
    if (always(steps)) return Level::always;
    return sometimes(steps) ? Level::sometimes : Level::never;
  }
  bool reaches(const Steps& steps, Level target) const {
    return target == Level::always ? always(steps) : sometimes(steps);
  }

  // ---- the two accesses themselves
  bool make_strong(std::initializer_list<EventId> accesses);
  bool one_weak();
  bool weak_flag();

  // ---- everything else
  Steps with(AspectMask mask) const;
  void search();
  bool same_place(EventId e) const;
  bool drop_proxies(Steps& steps, bool of_pair, Level target) const;
  void minimise(Steps& steps, Level target) const;
  void narrow(Steps& steps, Level target) const;
  void conclude(const Steps& steps, Level target);
  bool far_fetched(const Steps& steps, Level target) const;
  void nothing_helps();
  void list_changes(const Steps& steps);
  void need_mapping(const Steps& steps, Level target);
  void need_one_name();
  void need_fences(EventId first, const PairSet* order);
  void need_wait(const Steps& steps);

  const engine::Query& query_;
  const event::ProgramGraph& graph_;
  const EventId a_, b_;
  const engine::State& racing_;
  const Solve& solve_;
  const FlagProbe probe_;
  const std::vector<std::size_t> keys_;
  const std::vector<int> flagness_;
  const relation::BitMatrix& locations_;
  relation::BitMatrix pair_;
  Diagnosis out_;
};

// ---- The two accesses themselves
// -----------------------------------------------------------------------------

// Making just these strong lets the pair race: says so, in the narrowest scope that does.
bool Diagnostician::make_strong(std::initializer_list<EventId> accesses) {
  Steps steps = no_steps();
  for (const EventId e : accesses) steps[keys_[e]].aspects = bit(Aspect::strength);
  if (!always(steps)) return false;
  narrow(steps, Level::always);
  out_.missing = {Missing::strength};
  list_changes(steps);
  return true;
}

// A strong access races with a weak one: somebody expected concurrent accesses here.
bool Diagnostician::one_weak() {
  if (weak(a_) == weak(b_)) return false;
  return make_strong({weak(a_) ? a_ : b_});
}

// Both are weak, and the location decides control flow: a flag.
bool Diagnostician::weak_flag() {
  if (!weak(a_) || !weak(b_) || (flagness_[keys_[a_]] == 0 && flagness_[keys_[b_]] == 0)) return false;
  return make_strong({a_, b_});
}

// ---- Everything else
// -----------------------------------------------------------------------------------------

Steps Diagnostician::with(AspectMask mask) const {
  Steps steps = no_steps();
  for (std::size_t key = 0; key < steps.size(); ++key) {
    steps[key].aspects = mask;
    // The two are data here: strong accesses may race, and then nothing would be learnt about their order.
    if (of_pair(key)) steps[key].aspects &= static_cast<AspectMask>(~bit(Aspect::strength));
  }
  return steps;
}

void Diagnostician::search() {
  const Level target = level(with(kAllAspects));
  if (target == Level::never) return nothing_helps();
  std::vector<AspectMask> masks;
  for (unsigned mask = 0; mask <= kAllAspects; ++mask) masks.push_back(static_cast<AspectMask>(mask));
  std::stable_sort(masks.begin(), masks.end(),
                   [](AspectMask a, AspectMask b) { return std::popcount(a) < std::popcount(b); });
  for (const AspectMask mask : masks) {
    Steps steps = with(mask);
    if (mask != kAllAspects && !reaches(steps, target)) continue;
    minimise(steps, target);
    narrow(steps, target);
    return conclude(steps, target);
  }
}

// Of the location of the two accesses?
bool Diagnostician::same_place(EventId e) const {
  return e == a_ || locations_.test(a_, e);
}

bool Diagnostician::drop_proxies(Steps& steps, bool of_pair, Level target) const {
  Steps fewer = steps;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).is_access() && same_place(e) == of_pair)
      fewer[keys_[e]].aspects &= static_cast<AspectMask>(~bit(Aspect::proxy));
  }
  const bool enough = reaches(fewer, target);
  if (enough) steps = std::move(fewer);
  return enough;
}

// Takes back what is not needed, one instruction and aspect at a time, data before flags. Proxies stay or go
// for the two accesses' location, and for all others.
void Diagnostician::minimise(Steps& steps, Level target) const {
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (!event(e).is_access()) steps[keys_[e]].aspects &= static_cast<AspectMask>(~bit(Aspect::proxy));
  }
  drop_proxies(steps, false, target);
  drop_proxies(steps, true, target);
  std::vector<std::size_t> order;
  for (std::size_t key = 0; key < steps.size(); ++key) order.push_back(key);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flagness_[a] < flagness_[b]; });
  for (const std::size_t key : order) {
    for (const AspectMask aspects : {static_cast<AspectMask>(kAllAspects & ~bit(Aspect::proxy)),
                                     bit(Aspect::strength), bit(Aspect::order), bit(Aspect::scope)}) {
      if ((steps[key].aspects & aspects) == 0) continue;
      Steps fewer = steps;
      fewer[key].aspects &= static_cast<AspectMask>(~aspects);
      if (reaches(fewer, target)) steps = std::move(fewer);
    }
  }
}

// The narrowest scope, half an atomic's ordering where that is enough, and no result where none is needed.
void Diagnostician::narrow(Steps& steps, Level target) const {
  for (Step& step : steps) {
    if ((step.aspects & (bit(Aspect::scope) | bit(Aspect::strength))) == 0) continue;
    for (const Scope scope : {Scope::cta, Scope::cluster, Scope::gpu}) {
      step.widest = scope;
      if (reaches(steps, target)) break;
      step.widest = Scope::sys;
    }
  }
  for (Step& step : steps) {
    if ((step.aspects & bit(Aspect::order)) == 0) continue;
    for (const Semantics half : {Semantics::relaxed, Semantics::release, Semantics::acquire}) {
      step.atomic = half;
      if (reaches(steps, target)) break;
      step.atomic = Semantics::acq_rel;
    }
    step.returns = false;
    step.returns = !reaches(steps, target);
  }
}

// Weak accesses of plain data, without any fence beside them, that would have to become releases and
// acquires: they happened to pass a value along, and are no synchronization gone wrong.
bool Diagnostician::far_fetched(const Steps& steps, Level target) const {
  if (target == Level::always) return false;
  bool plain = false;
  for (std::size_t key = 0; key < steps.size(); ++key) {
    if ((steps[key].aspects & bit(Aspect::strength)) == 0) continue;
    plain = true;
    if (flagness_[key] > 0 || (steps[key].aspects & bit(Aspect::order)) == 0) return false;
  }
  return plain;
}

void Diagnostician::conclude(const Steps& steps, Level target) {
  if (far_fetched(steps, target)) return nothing_helps();
  const auto uses = [&](Aspect aspect) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return (step.aspects & bit(aspect)) != 0; });
  };
  if (uses(Aspect::scope)) out_.missing.push_back(Missing::scope);
  if (uses(Aspect::strength)) out_.missing.push_back(Missing::strength);
  if (uses(Aspect::order)) out_.missing.push_back(Missing::acquire_release);
  if (uses(Aspect::proxy)) need_mapping(steps, target);
  list_changes(steps);
  if (target == Level::sometimes) {
    out_.missing.push_back(Missing::wait);
    need_wait(steps);
  }
}

void Diagnostician::nothing_helps() {
  if (!weak_flag()) out_.missing = {Missing::synchronization};
}

void Diagnostician::list_changes(const Steps& steps) {
  std::vector<bool> listed(steps.size(), false);
  for (EventId e = 0; e < graph_.size(); ++e) {
    const event::Labels to = stepped(event(e), steps[keys_[e]]);
    if (listed[keys_[e]] || !differs(event(e).labels, to)) continue;
    listed[keys_[e]] = true;
    out_.changes.push_back({e, event(e).labels, to});
  }
}

// What the proxies of the remaining steps say. Which way round the two are ordered: as base causality has it
// in the racing execution, where the model defines that; else the write first.
void Diagnostician::need_mapping(const Steps& steps, Level target) {
  const auto proxied = [&](EventId e) { return (steps[keys_[e]].aspects & bit(Aspect::proxy)) != 0; };
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).thread != event::kNoThread && event(e).is_access() && !same_place(e) && proxied(e))
      out_.mapped.push_back(e);
  }
  need_one_name();
  if (proxied(a_)) {
    EventId first = event(b_).is_write() && !event(a_).is_write() ? b_ : a_;
    const NaiveInput input{graph_,       query_.base,     query_.signature,
                           query_.model, racing_.witness, query_.budget};
    const auto bc = evaluate_definition(input, "bc");
    const PairSet* order = bc ? std::get_if<PairSet>(&*bc) : nullptr;
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
  if (!out_.fences.empty()) out_.missing.push_back(Missing::proxy_fence);
  if (!out_.mapped.empty()) out_.missing.push_back(Missing::mapping);
}

// Of the mapped accesses, those of locations that have several names or another proxy; one an instruction.
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

// Of each proxy that is not the generic one, else of the alias; less those that stand right already.
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

// The reads-from edge between the threads that the ordered execution has; one that the racing one lacks, if
// there is.
void Diagnostician::need_wait(const Steps& steps) {
  const engine::Result result = ask(Probe::spared, steps);
  if (result.states.empty()) return;
  const event::Execution& ordered = result.states.front().witness;
  std::pair<bool, int> best;
  for (event::SlotId slot = 0; slot < graph_.slot_count(); ++slot) {
    const EventId r = graph_.slot(slot).event, w = ordered.reads_from[slot];
    if (w == event::kNoEvent || of_pair(keys_[r])) continue;
    const bool across = event(w).thread != event(r).thread && event(w).thread != event::kNoThread;
    const bool into = event(r).thread == event(a_).thread || event(r).thread == event(b_).thread;
    if (!across || !into) continue;
    const std::pair<bool, int> rank{w != racing_.witness.reads_from[slot], flagness_[keys_[r]]};
    if (!out_.awaited || rank > best) {
      out_.awaited = {w, r};
      best = rank;
    }
  }
}

}  // namespace

Diagnosis diagnose(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                   const engine::State& racing, const Solve& solve) {
  return Diagnostician(query, flag, a, b, racing, solve).run();
}

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/counterfactual.h"

#include <algorithm>
#include <utility>

#include "axiomatic/event/scope.h"

namespace ptxmc::check {

using event::EventId;
using isa::Scope;
using isa::Semantics;

namespace {

constexpr AspectMask without(Aspect aspect) {
  return static_cast<AspectMask>(~bit(aspect));
}

}  // namespace

Counterfactual::Counterfactual(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                               const Solve& solve)
    : graph_(query.graph),
      a_(a),
      b_(b),
      solve_(solve),
      probe_(query, flag),
      keys_(instruction_keys(query.graph)),
      flagness_(check::flagness(query.graph, keys_)),
      pair_(query.graph.size()) {
  // Only accesses that can conflict count: an asynchronous operation has others, too.
  const relation::BitMatrix& locations = query.base.relations.at(query.signature.find("ploc").value());
  const bool conflict = locations.test(a, b);
  const auto writes = [&](EventId e) { return graph_.events[e].is_write(); };
  for (EventId x = 0; x < graph_.size(); ++x) {
    for (EventId y = 0; y < graph_.size(); ++y) {
      if (x == y || keys_[x] != keys_[a] || keys_[y] != keys_[b]) continue;
      if (conflict && (!locations.test(x, y) || (!writes(x) && !writes(y)))) continue;
      pair_.set(x, y);
      pair_.set(y, x);
    }
  }
}

Counterfactual::Answer Counterfactual::ask(Probe probe, const Hypothesis& hypothesis) const {
  Variant variant = apply(graph_, keys_, hypothesis);
  relation::BitMatrix pair(variant.graph.size());
  pair_.for_each([&](std::size_t a, std::size_t b) { pair.set(variant.number[a], variant.number[b]); });
  relation::BitMatrix awaited;
  if (hypothesis.awaited) {
    awaited = relation::BitMatrix(variant.graph.size());
    awaited.set(variant.number[hypothesis.awaited->first], variant.number[hypothesis.awaited->second]);
  }
  engine::Result result = probe_.ask(probe, pair, variant.graph, variant.base, solve_, awaited);
  if (result.states.empty() && !result.complete)
    throw GaveUp{result.unknown.empty() ? "incomplete" : result.unknown};
  return {std::move(result), std::move(variant)};
}

// Some executions must remain: a hypothesis that leaves none with the pair says nothing.
bool Counterfactual::always(const Hypothesis& hypothesis) const {
  return ask(Probe::within, hypothesis).result.states.empty() && sometimes(hypothesis);
}

bool Counterfactual::sometimes(const Hypothesis& hypothesis) const {
  return !ask(Probe::spared, hypothesis).result.states.empty();
}

Level Counterfactual::level(const Hypothesis& hypothesis) const {
  if (always(hypothesis)) return Level::always;
  return sometimes(hypothesis) ? Level::sometimes : Level::never;
}

bool Counterfactual::reaches(const Hypothesis& hypothesis, Level target) const {
  return target == Level::always ? always(hypothesis) : sometimes(hypothesis);
}

std::optional<std::pair<EventId, EventId>> Counterfactual::awaited(const Hypothesis& hypothesis,
                                                                   const engine::State& racing) const {
  const Answer answer = ask(Probe::spared, hypothesis);
  if (answer.result.states.empty()) return std::nullopt;
  const event::Execution& ordered = answer.result.states.front().witness;
  struct Edge {
    std::pair<bool, int> rank;
    std::pair<EventId, EventId> ends;
  };
  std::vector<Edge> edges;
  for (event::SlotId slot = 0; slot < graph_.slot_count(); ++slot) {
    const EventId r = graph_.slot(slot).event, w = answer.variant.source(ordered, graph_, slot);
    if (w == event::kNoEvent || of_pair(keys_[r])) continue;
    const auto thread = [&](EventId e) { return graph_.events[e].thread; };
    const bool across = thread(w) != thread(r) && thread(w) != event::kNoThread;
    const bool into = thread(r) == thread(a_) || thread(r) == thread(b_);
    if (across && into)
      edges.push_back({{w != racing.witness.reads_from[slot], flagness_[keys_[r]]}, {w, r}});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.rank > b.rank; });
  Hypothesis waits = hypothesis;
  for (const Edge& edge : edges) {
    waits.awaited = edge.ends;
    if (always(waits)) return edge.ends;
  }
  return std::nullopt;
}

Steps Counterfactual::with(AspectMask mask) const {
  Steps steps = no_steps();
  for (std::size_t key = 0; key < steps.size(); ++key) {
    steps[key].aspects = mask;
    if (of_pair(key)) steps[key].aspects &= without(Aspect::strength);
  }
  return steps;
}

void Counterfactual::minimise(Hypothesis& hypothesis, Level target) const {
  std::vector<std::size_t> order;
  for (std::size_t key = 0; key < hypothesis.steps.size(); ++key) order.push_back(key);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flagness_[a] < flagness_[b]; });
  for (const std::size_t key : order) {
    for (const AspectMask aspects : {static_cast<AspectMask>(kAllAspects & without(Aspect::proxy)),
                                     bit(Aspect::strength), bit(Aspect::order), bit(Aspect::scope)}) {
      if ((hypothesis.steps[key].aspects & aspects) == 0) continue;
      Hypothesis fewer = hypothesis;
      fewer.steps[key].aspects &= static_cast<AspectMask>(~aspects);
      if (reaches(fewer, target)) hypothesis = std::move(fewer);
    }
  }
}

void Counterfactual::narrow(Hypothesis& hypothesis, Level target) const {
  for (Step& step : hypothesis.steps) {
    if ((step.aspects & (bit(Aspect::scope) | bit(Aspect::strength))) == 0) continue;
    for (Scope scope = Scope::cta; scope != Scope::sys; scope = event::wider(scope)) {
      step.widest = scope;
      if (reaches(hypothesis, target)) break;
      step.widest = Scope::sys;
    }
  }
  for (Step& step : hypothesis.steps) {
    if ((step.aspects & bit(Aspect::order)) == 0) continue;
    for (const Semantics half : {Semantics::relaxed, Semantics::release, Semantics::acquire}) {
      step.atomic = half;
      if (reaches(hypothesis, target)) break;
      step.atomic = Semantics::acq_rel;
    }
    step.returns = false;
    step.returns = !reaches(hypothesis, target);
  }
}

bool Counterfactual::far_fetched(const Hypothesis& hypothesis, Level target) const {
  if (target == Level::always) return false;
  bool plain = false;
  const Steps& steps = hypothesis.steps;
  for (std::size_t key = 0; key < steps.size(); ++key) {
    if ((steps[key].aspects & bit(Aspect::strength)) == 0) continue;
    plain = true;
    if (flagness_[key] > 0 || (steps[key].aspects & bit(Aspect::order)) == 0) return false;
  }
  return plain;
}

std::vector<Change> Counterfactual::changes(const Hypothesis& hypothesis) const {
  std::vector<Change> out;
  if (hypothesis.steps.empty()) return out;
  std::vector<bool> listed(hypothesis.steps.size(), false);
  for (EventId e = 0; e < graph_.size(); ++e) {
    const event::Labels to = stepped(graph_.events[e], hypothesis.steps[keys_[e]]);
    if (listed[keys_[e]] || !differs(graph_.events[e].labels, to)) continue;
    listed[keys_[e]] = true;
    out.push_back({e, graph_.events[e].labels, to});
  }
  return out;
}

void Counterfactual::tell(const Hypothesis& hypothesis, Diagnosis& out) const {
  if (uses(hypothesis, Aspect::scope)) out.missing.push_back(Missing::scope);
  if (uses(hypothesis, Aspect::strength)) out.missing.push_back(Missing::strength);
  if (uses(hypothesis, Aspect::order)) out.missing.push_back(Missing::acquire_release);
  out.changes = changes(hypothesis);
}

std::vector<EventId> Counterfactual::accesses_like(EventId e) const {
  std::vector<EventId> out;
  for (EventId x = 0; x < graph_.size(); ++x) {
    if (keys_[x] == keys_[e] && graph_.events[x].is_access()) out.push_back(x);
  }
  return out;
}

}  // namespace ptxmc::check

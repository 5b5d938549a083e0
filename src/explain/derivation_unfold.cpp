// SPDX-License-Identifier: Apache-2.0
// Unfolding: from the cost of a pair down to the choices that led to it (derivation.cpp says how costs come
// about).
#include "explain/derivation.h"
#include "model/cat/print.h"
#include "support/check.h"
#include "support/overloaded.h"

namespace ptxmc::explain {

namespace rel = relation;
using event::EventId;
using event::kNoEvent;

// -------------------------------------------------------------------------------------------------

Step Derivation::leaf(rel::Rel r, EventId from, EventId to) const {
  Step step;
  step.from = from;
  step.to = to;
  if (const auto name = name_of(r)) {
    step.name = name->name;
    step.section = name->section;
  } else {
    step.name = cat::print(input_.model, input_.signature, r);
    step.named = false;
  }
  const auto* product = std::get_if<rel::Product>(&input_.model.tree.node(r));
  if (product && step.section.empty()) {
    const auto* first = std::get_if<rel::BaseSet>(&input_.model.tree.node(product->a));
    if (first) step.section = input_.signature[first->base].section;
  }
  return step;
}

Step Derivation::condition(rel::Rel r, EventId from, EventId to) {
  // fr^-1 from W to R is told as fr from R to W.
  if (const auto* inverse = std::get_if<rel::Inverse>(&input_.model.tree.node(r)); inverse && !name_of(r))
    return condition(inverse->a, to, from);
  Step step = leaf(r, from, to);
  if (weight(r) == Weight::chosen) step.because = unfold(r, from, to).steps;
  return step;
}

Chain Derivation::chain(rel::Rel r, EventId from, EventId to) {
  PTXMC_CHECK(costs(r).has(from, to), "a pair that is not in the relation has no derivation");
  if (!name_of(r)) return unfold(r, from, to);
  Step step = leaf(r, from, to);
  const rel::RelNode& node = input_.model.tree.node(r);
  if (!std::holds_alternative<rel::BaseRel>(node) && !std::holds_alternative<rel::OrderChoice>(node)) {
    Chain inner = unfold(r, from, to);
    step.because = std::move(inner.steps);
    step.conditions = std::move(inner.conditions);
  }
  return {{std::move(step)}, {}};
}

// A chain inside another keeps its conditions: on its only step, or on a step made of it.
void Derivation::append(Chain& chain_so_far, rel::Rel r, EventId from, EventId to) {
  Chain part = chain(r, from, to);
  if (!part.conditions.empty()) {
    if (part.steps.size() != 1) {
      Step whole = leaf(r, from, to);
      whole.because = std::move(part.steps);
      part.steps.clear();
      part.steps.push_back(std::move(whole));
    }
    std::vector<Step>& conditions = part.steps.front().conditions;
    conditions.insert(conditions.end(), part.conditions.begin(), part.conditions.end());
  }
  for (Step& step : part.steps) chain_so_far.steps.push_back(std::move(step));
}

Chain Derivation::unfold(rel::Rel r, EventId from, EventId to) {
  return std::visit(Overloaded{
                        [&](const rel::BaseRel&) {
                          return Chain{{leaf(r, from, to)}, {}};
                        },
                        [&](const rel::EmptyRel&) { return Chain{}; },
                        [&](const rel::Identity&) { return Chain{}; },
                        [&](const rel::Restrict&) { return Chain{}; },
                        [&](const rel::Product&) {
                          return Chain{{leaf(r, from, to)}, {}};
                        },
                        [&](const rel::Union& n) {
                          const std::uint32_t left = costs(n.a).at(from, to), right = costs(n.b).at(from, to);
                          return chain(left <= right ? n.a : n.b, from, to);
                        },
                        [&](const rel::Intersection&) { return unfold_intersection(r, from, to); },
                        [&](const rel::Difference& n) { return chain(n.a, from, to); },
                        [&](const rel::Sequence& n) { return unfold_sequence(n.a, n.b, from, to); },
                        [&](const rel::Inverse& n) { return unfold_inverse(r, n.a, from, to); },
                        [&](const rel::Closure& n) { return unfold_closure(n.a, from, to); },
                        [&](const rel::OrderChoice&) {
                          return Chain{{leaf(r, from, to)}, {}};
                        },
                        [&](const rel::FromReads& n) { return unfold_from_reads(n.co, from, to); },
                        [&](const rel::Variable& n) {
                          const rel::RecGroup& group = input_.model.tree.groups()[n.group];
                          return chain(group.bodies[n.member], from, to);
                        },
                    },
                    input_.model.tree.node(r));
}

Chain Derivation::unfold_intersection(rel::Rel r, EventId from, EventId to) {
  const auto& node = std::get<rel::Intersection>(input_.model.tree.node(r));
  const bool left = weight(node.a) >= weight(node.b);
  const rel::Rel main = left ? node.a : node.b, other = left ? node.b : node.a;
  Chain out = chain(main, from, to);
  std::vector<rel::Rel> work = {other};
  while (!work.empty()) {  // operands of the rest, from left to right
    const rel::Rel at = work.back();
    work.pop_back();
    const auto* both = std::get_if<rel::Intersection>(&input_.model.tree.node(at));
    if (both && !name_of(at)) {
      work.push_back(both->b);
      work.push_back(both->a);
      continue;
    }
    const bool says_something = name_of(at) || weight(at) == Weight::chosen;
    if (says_something) out.conditions.push_back(condition(at, from, to));
  }
  if (out.steps.size() == 1) {  // then they are about that step
    std::vector<Step>& conditions = out.steps.front().conditions;
    conditions.insert(conditions.end(), out.conditions.begin(), out.conditions.end());
    out.conditions.clear();
  }
  return out;
}

Chain Derivation::unfold_sequence(rel::Rel a, rel::Rel b, EventId from, EventId to) {
  const CostMatrix first = costs(a);
  const CostMatrix& second = costs(b);
  EventId best = kNoEvent;
  std::uint32_t best_cost = CostMatrix::kAbsent;
  for (EventId middle = 0; middle < first.size(); ++middle) {
    if (!first.has(from, middle) || !second.has(middle, to)) continue;
    const std::uint32_t cost = first.at(from, middle) + second.at(middle, to);
    if (cost < best_cost) {
      best = middle;
      best_cost = cost;
    }
  }
  Chain out;
  append(out, a, from, best);
  append(out, b, best, to);
  return out;
}

Chain Derivation::unfold_inverse(rel::Rel r, rel::Rel a, EventId from, EventId to) {
  Chain forward = chain(a, to, from);
  Step step;
  if (forward.steps.size() == 1) {
    step = std::move(forward.steps.front());
    step.name += "^-1";
  } else {
    step = leaf(r, from, to);
    step.because = std::move(forward.steps);
    step.conditions = std::move(forward.conditions);
  }
  step.from = from;
  step.to = to;
  return {{std::move(step)}, {}};
}

Chain Derivation::unfold_from_reads(rel::Rel co, EventId from, EventId to) {
  // The source for an access of several cells is that of one that `to` writes.
  const event::ProgramGraph& graph = input_.graph;
  EventId source = kNoEvent;
  for (std::size_t k = 0; k < graph.slots_of(from) && source == kNoEvent; ++k) {
    const event::SlotId s = graph.slot_of(from, k);
    const EventId candidate = input_.execution.reads_from[s];
    const bool overwritten = candidate != kNoEvent && graph.covers(to, graph.slot(s).cell);
    if (overwritten && costs(co).has(candidate, to)) source = candidate;
  }
  PTXMC_CHECK(source != kNoEvent, "a read with a later write has a source");
  Step reads;
  reads.from = from;
  reads.to = source;
  reads.name = "rf^-1";
  Chain out{{reads}, {}};
  append(out, co, source, to);
  return out;
}

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// Steps of an evaluator that can only compute empty sets and relations, left out.
//
// A model speaks of proxies, asynchronous operations and barriers; most programs have none of them, so much
// of it is empty whatever is chosen. The least solution of "may be non-empty", from the values of the fixed
// nodes upwards, is an over-approximation of every value that the search can see; what is not in it stays
// empty, as it began. Cost: a few passes over the nodes, once per path.
#include <algorithm>
#include <utility>

#include "axiomatic/engine/explicit/evaluator.h"
#include "support/overloaded.h"

namespace ptxmc::engine::explicit_ {
using relation::Rel;

bool Evaluator::may_hold(const relation::SetNode& node, const Support& s) const {
  return std::visit(
      Overloaded{[](const relation::BaseSet&) { return true; },
                 [](const relation::EmptySet&) { return false; },
                 [](const relation::Universe&) { return true; },
                 [&](const relation::SetUnion& n) { return s.sets[n.a.index] || s.sets[n.b.index]; },
                 [&](const relation::SetIntersection& n) { return s.sets[n.a.index] && s.sets[n.b.index]; },
                 [&](const relation::SetDifference& n) { return bool{s.sets[n.a.index]}; },
                 [&](const relation::Domain& n) { return bool{s.relations[n.r.index]}; },
                 [&](const relation::Range& n) { return bool{s.relations[n.r.index]}; }},
      node);
}

bool Evaluator::may_hold(const relation::RelNode& node, const Support& s) const {
  const auto both = [&](Rel a, Rel b) { return s.relations[a.index] && s.relations[b.index]; };
  return std::visit(
      Overloaded{
          [](const relation::BaseRel&) { return true; }, [](const relation::EmptyRel&) { return false; },
          [](const relation::Identity&) { return true; },
          [&](const relation::Restrict& n) { return bool{s.sets[n.s.index]}; },
          [&](const relation::Product& n) { return s.sets[n.a.index] && s.sets[n.b.index]; },
          [&](const relation::Union& n) { return s.relations[n.a.index] || s.relations[n.b.index]; },
          [&](const relation::Intersection& n) { return both(n.a, n.b); },
          [&](const relation::Difference& n) { return bool{s.relations[n.a.index]}; },
          [&](const relation::Sequence& n) { return both(n.a, n.b); },
          [&](const relation::Inverse& n) { return bool{s.relations[n.a.index]}; },
          [&](const relation::Closure& n) { return bool{s.relations[n.a.index]}; },
          [](const relation::OrderChoice&) { return true; }, [](const relation::FromReads&) { return true; },
          [&](const relation::Variable& n) {
            return bool{s.relations[tree_.groups()[n.group].bodies[n.member].index]};
          }},
      node);
}

void Evaluator::drop_empty_steps() {
  Support s{std::vector<bool>(sets_.size(), false), std::vector<bool>(relations_.size(), false)};
  for (bool changed = true; std::exchange(changed, false);) {
    const auto raise = [&](std::vector<bool>& flags, std::size_t i, bool value) {
      if (value && !flags[i]) flags[i] = changed = true;
    };
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (!scheduled_.sets[i] || s.sets[i]) continue;
      raise(s.sets, i, dynamic_.sets[i] ? may_hold(tree_.sets()[i], s) : !sets_[i].empty());
    }
    for (std::size_t i = 0; i < relations_.size(); ++i) {
      if (!scheduled_.relations[i] || s.relations[i]) continue;
      raise(s.relations, i,
            dynamic_.relations[i] ? may_hold(tree_.relations()[i], s) : !relations_[i].empty());
    }
  }
  drop_empty(dynamic_steps_, s);
}

void Evaluator::drop_empty(std::vector<Step>& steps, const Support& s) const {
  std::erase_if(steps, [&](Step& step) {
    if (step.kind == Step::Kind::set) return !s.sets[step.index];
    if (step.kind == Step::Kind::relation) return !s.relations[step.index];
    drop_empty(step.body, s);
    const std::vector<Rel>& variables = tree_.groups()[step.index].variables;
    return std::none_of(variables.begin(), variables.end(), [&](Rel v) { return s.relations[v.index]; });
  });
}

}  // namespace ptxmc::engine::explicit_

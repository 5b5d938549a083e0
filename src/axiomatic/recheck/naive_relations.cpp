// SPDX-License-Identifier: Apache-2.0
// The naive relation evaluator.
//
// The engines compute with bit matrices, bounds and encodings; a mistake there must not be repeated here. So
// this file uses nothing of them: a set is a sorted list of events, a relation one of pairs, each
// operator is its textbook definition on all existing events, `let rec` is Kleene iteration from the empty
// relation until nothing changes. A node is computed once per execution (memoised), except below a `let rec`
// group that is still being iterated, where the memo of every node that mentions the group is dropped after
// each round. Cost: polynomial and slow, about nodes * events^2 * log(events), which is fine for one witness
// a state.
#include "axiomatic/recheck/naive_relations.h"

#include <algorithm>
#include <iterator>

#include "support/check.h"
#include "support/overloaded.h"

namespace ptxmc::check {

using event::EventId;
using event::kNoEvent;

namespace {

constexpr EventId kFirst = 0;

template <typename T>
T unite(const T& a, const T& b) {
  T out;
  out.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

template <typename T>
T intersect(const T& a, const T& b) {
  T out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

template <typename T>
T subtract(const T& a, const T& b) {
  T out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
  return out;
}

/// Adds (x, y) for each y; x is above all that is there.
void append(PairSet& out, EventId x, const EventSet& ys) {
  for (const EventId y : ys) out.emplace_hint(out.end(), x, y);
}

PairSet sequence(const PairSet& a, const PairSet& b, const Budget& budget) {
  PairSet out;
  for (auto start = a.begin(); start != a.end();) {
    budget.check();
    const EventId x = start->first;
    EventSet ys;
    for (; start != a.end() && start->first == x; ++start) {
      const EventId y = start->second;
      for (auto it = b.lower_bound({y, kFirst}); it != b.end() && it->first == y; ++it) ys.insert(it->second);
    }
    append(out, x, ys);
  }
  return out;
}

PairSet identity_on(const EventSet& s) {
  PairSet out;
  out.reserve(s.size());
  for (const EventId e : s) out.emplace_hint(out.end(), e, e);
  return out;
}

PairSet product(const EventSet& a, const EventSet& b) {
  PairSet out;
  out.reserve(a.size() * b.size());
  for (const EventId x : a) {
    for (const EventId y : b) out.emplace_hint(out.end(), x, y);
  }
  return out;
}

PairSet inverse(const PairSet& a) {
  std::vector<PairSet::value_type> pairs;
  for (const auto& [x, y] : a) pairs.emplace_back(y, x);
  return PairSet(pairs.begin(), pairs.end());
}

}  // namespace

PairSet transitive_closure(const PairSet& pairs, const Budget& budget) {
  PairSet out;
  for (auto start = pairs.begin(); start != pairs.end();
       start = pairs.upper_bound({start->first, kNoEvent})) {
    budget.check();
    EventSet reached;
    std::vector<EventId> work = {start->first};
    while (!work.empty()) {
      const EventId at = work.back();
      work.pop_back();
      for (auto it = pairs.lower_bound({at, kFirst}); it != pairs.end() && it->first == at; ++it) {
        if (reached.insert(it->second).second) work.push_back(it->second);
      }
    }
    append(out, start->first, reached);
  }
  return out;
}

bool is_irreflexive(const PairSet& pairs) {
  return std::none_of(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first == pair.second; });
}

bool is_acyclic(const PairSet& pairs, const Budget& budget) {
  return is_irreflexive(transitive_closure(pairs, budget));
}

NaiveRelations::NaiveRelations(const NaiveInput& input)
    : input_(input), sets_(input.model.tree.sets().size()), relations_(input.model.tree.relations().size()) {
  for (EventId e = 0; e < input_.graph.size(); ++e) {
    if (input_.execution.exists.test(e)) existing_.insert(e);
  }
}

bool NaiveRelations::holds(const relation::Constraint& constraint) {
  bool result = false;
  if (const auto* s = std::get_if<relation::Set>(&constraint.expression)) {
    PTXMC_CHECK(constraint.test == relation::Test::empty, "a set can only be tested for emptiness");
    result = value(*s).empty();
  } else {
    const PairSet& pairs = value(std::get<relation::Rel>(constraint.expression));
    switch (constraint.test) {
      case relation::Test::acyclic:
        result = is_acyclic(pairs, input_.budget);
        break;
      case relation::Test::irreflexive:
        result = is_irreflexive(pairs);
        break;
      case relation::Test::empty:
        result = pairs.empty();
        break;
    }
  }
  return result != constraint.negated;
}

const EventSet& NaiveRelations::value(relation::Set s) {
  if (!sets_[s.index]) sets_[s.index] = compute(input_.model.tree.node(s));
  return *sets_[s.index];
}

const PairSet& NaiveRelations::value(relation::Rel r) {
  const relation::RelNode& node = input_.model.tree.node(r);
  if (const auto* v = std::get_if<relation::Variable>(&node)) return variable(*v);
  input_.budget.check();
  if (!relations_[r.index]) relations_[r.index] = compute(node);
  return *relations_[r.index];
}

EventSet NaiveRelations::compute(const relation::SetNode& node) {
  namespace rel = relation;
  return std::visit(Overloaded{
                        [&](const rel::BaseSet& n) {
                          EventSet out;
                          for (const EventId e : existing_) {
                            if (input_.base.sets[n.base].test(e)) out.insert(e);
                          }
                          return out;
                        },
                        [&](const rel::EmptySet&) { return EventSet{}; },
                        [&](const rel::Universe&) { return existing_; },
                        [&](const rel::SetUnion& n) { return unite(value(n.a), value(n.b)); },
                        [&](const rel::SetIntersection& n) { return intersect(value(n.a), value(n.b)); },
                        [&](const rel::SetDifference& n) { return subtract(value(n.a), value(n.b)); },
                        [&](const rel::Domain& n) {
                          EventSet out;
                          for (const auto& [x, y] : value(n.r)) out.insert(x);
                          return out;
                        },
                        [&](const rel::Range& n) {
                          EventSet out;
                          for (const auto& [x, y] : value(n.r)) out.insert(y);
                          return out;
                        },
                    },
                    node);
}

PairSet NaiveRelations::compute(const relation::RelNode& node) {
  namespace rel = relation;
  return std::visit(
      Overloaded{
          [&](const rel::BaseRel& n) { return base_relation(n.base); },
          [&](const rel::EmptyRel&) { return PairSet{}; },
          [&](const rel::Identity&) { return identity_on(existing_); },
          [&](const rel::Restrict& n) { return identity_on(value(n.s)); },
          [&](const rel::Product& n) { return product(value(n.a), value(n.b)); },
          [&](const rel::Union& n) { return unite(value(n.a), value(n.b)); },
          [&](const rel::Intersection& n) { return intersect(value(n.a), value(n.b)); },
          [&](const rel::Difference& n) { return subtract(value(n.a), value(n.b)); },
          [&](const rel::Sequence& n) { return sequence(value(n.a), value(n.b), input_.budget); },
          [&](const rel::Inverse& n) { return inverse(value(n.a)); },
          [&](const rel::Closure& n) { return transitive_closure(value(n.a), input_.budget); },
          [&](const rel::OrderChoice& n) {
            PairSet out;
            for (const EventId a : existing_) {
              for (const EventId b : existing_) {
                if (input_.execution.orders[n.order].test(a, b)) out.emplace(a, b);
              }
            }
            return out;
          },
          [&](const rel::FromReads& n) { return from_reads(value(n.co)); },
          [&](const rel::Variable& n) { return variable(n); },
      },
      node);
}

PairSet NaiveRelations::base_relation(std::uint32_t base) const {
  PairSet out;
  const event::Execution& x = input_.execution;
  if (input_.signature[base].provider == relation::Provider::reads_from) {
    for (const EventId r : existing_) {
      for (std::size_t k = 0; k < input_.graph.slots_of(r); ++k) {
        const EventId source = x.reads_from[input_.graph.slot_of(r, k)];
        if (source != kNoEvent) out.emplace(source, r);
      }
    }
    return out;
  }
  const bool enumerated = input_.signature[base].provider == relation::Provider::enumerated;
  if (enumerated && (base >= x.enumerated.size() || x.enumerated[base].size() == 0))
    return out;  // not in use
  const relation::BitMatrix& matrix = enumerated ? x.enumerated[base] : input_.base.relations[base];
  for (const EventId a : existing_) {
    for (const EventId b : existing_) {
      if (matrix.test(a, b)) out.emplace(a, b);
    }
  }
  return out;
}

// (r, w): r reads some cell from a w' with (w', w) in coherence, w writes that cell, and w is not r's own
// other half (8.9.7).
PairSet NaiveRelations::from_reads(const PairSet& coherence) const {
  PairSet out;
  const event::ProgramGraph& graph = input_.graph;
  for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
    const auto [r, cell, value] = graph.slot(s);
    const EventId source = input_.execution.reads_from[s];
    if (!existing_.contains(r) || !graph.events[r].is_read() || source == kNoEvent) continue;
    for (auto it = coherence.lower_bound({source, kFirst}); it != coherence.end() && it->first == source;
         ++it) {
      if (it->second >= graph.size()) continue;  // of a malformed execution
      const bool same_cell = graph.events[it->second].is_write() && graph.covers(it->second, cell);
      if (same_cell && graph.events[r].rmw_partner != it->second) out.emplace(r, it->second);
    }
  }
  return out;
}

const PairSet& NaiveRelations::variable(const relation::Variable& node) {
  if (!solved_.contains(node.group) && !open_.contains(node.group)) iterate(node.group);
  return variables_[{node.group, node.member}];
}

void NaiveRelations::iterate(std::uint32_t group) {
  const relation::RecGroup& members = input_.model.tree.groups()[group];
  for (std::uint32_t m = 0; m < members.bodies.size(); ++m) variables_[{group, m}].clear();
  open_.insert(group);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<PairSet> next;
    for (const relation::Rel body : members.bodies) next.push_back(value(body));
    for (std::uint32_t m = 0; m < next.size(); ++m) {
      PairSet& current = variables_[{group, m}];
      changed |= current != next[m];
      current = std::move(next[m]);
    }
    forget(group);
  }
  open_.erase(group);
  solved_.insert(group);
}

// Drops what was computed from the variables' previous values; only nodes that mention this very group, so
// that values that an enclosing computation holds on to stay.
void NaiveRelations::forget(std::uint32_t group) {
  const relation::Tree& tree = input_.model.tree;
  const auto [entry, fresh] = mentions_.try_emplace(group);
  NodeMarks& mentions = entry->second;
  if (fresh) mentions = mark_mentions(tree, group);
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (mentions.sets[i]) sets_[i].reset();
  }
  for (std::size_t i = 0; i < relations_.size(); ++i) {
    if (mentions.relations[i]) relations_[i].reset();
  }
  std::erase_if(solved_, [&](std::uint32_t other) {
    return mentions.relations[tree.groups()[other].variables.front().index];
  });
}

}  // namespace ptxmc::check

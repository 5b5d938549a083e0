// SPDX-License-Identifier: Apache-2.0
// A transitive closure over a mostly fixed graph. A path from a to b is fixed, or leaves a through one of its
// *exits* (sources of dynamic pairs that a reaches by fixed edges), crosses dynamic pairs and fixed edges,
// and arrives at one of b's *entries* (targets of dynamic pairs that reach b). Events with the same exits, or
// entries, share their literals, so a program of 32 threads with one fence each needs literals between fences
// only. The recursion
//     route(X, Y) = some x in X with a dynamic pair (x, z), and z in Y or route(exits(z), Y)
// is on demand, one column of entries at a time; cycles are cut by FixedPoints. Cost: dynamic pairs per
// column.
//
// If an axiom makes the base relation acyclic, and it holds a total order's choice for each pair of X * Y,
// then a path from x to y cannot be there without (x, y) being chosen: the choice's literals are the closure.
#include "axiomatic/engine/smt/paths.h"

#include <algorithm>

namespace ptxmc::engine::smt {

using event::EventId;

Paths::Paths(Relations& relations, relation::Rel base, relation::Rel closure)
    : relations_(relations),
      base_(base),
      closure_(closure),
      skeleton_(relations.skeleton(base)),
      acyclic_(relations.known_acyclic(base)),
      sources_(skeleton_.fixed.size()),
      targets_(skeleton_.fixed.size()) {
  skeleton_.dynamic.assign_domain(sources_);
  skeleton_.dynamic.assign_range(targets_);
}

std::uint32_t Paths::intern(const EventSet& set) {
  const auto [it, fresh] = ids_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(set);
  return it->second;
}

std::uint32_t Paths::exits(EventId a) {
  const auto known = exits_.find(a);
  if (known != exits_.end()) return known->second;
  EventSet set;
  sources_.for_each([&](std::size_t x) {
    if (x == a || skeleton_.fixed.test(a, x)) set.push_back(static_cast<EventId>(x));
  });
  return exits_[a] = intern(set);
}

std::uint32_t Paths::entries(EventId b) {
  const auto known = entries_.find(b);
  if (known != entries_.end()) return known->second;
  EventSet set;
  targets_.for_each([&](std::size_t y) {
    if (y == b || skeleton_.fixed.test(y, b)) set.push_back(static_cast<EventId>(y));
  });
  return entries_[b] = intern(set);
}

Lit Paths::pair(EventId a, EventId b) {
  const Lit ends = relations_.both(a, b);
  if (skeleton_.fixed.test(a, b)) return ends;
  return relations_.circuit().conjunction(ends, route(exits(a), entries(b)));
}

Lit Paths::route(std::uint32_t exits, std::uint32_t entries) {
  const std::pair<std::uint32_t, std::uint32_t> key{exits, entries};
  const auto known = routes_.find(key);
  if (known != routes_.end()) return known->second;
  relations_.deadline().check();
  if (const auto lit = decided(exits, entries)) return routes_.emplace(key, *lit).first->second;
  const FixedPoints::Key id{(std::uint64_t{closure_.index} << 32) | 0x80000000U | exits, entries};
  const Lit lit = relations_.fixed_points().compute(
      id, relations_.component(closure_), relations_.exact(closure_),
      [&] { return relations_.recursion().deeper([&] { return follow(exits, entries); }); });
  if (!relations_.fixed_points().is_open(id)) routes_.insert_or_assign(key, lit);
  return lit;
}

Lit Paths::follow(std::uint32_t from, std::uint32_t to) {
  const EventSet exits_here = sets_[from], goal = sets_[to];
  const auto& may = relations_.bounds().of(closure_).may;
  std::vector<Lit> ways;
  for (const EventId x : exits_here) {
    relation::for_each_bit(skeleton_.dynamic.row(x), skeleton_.dynamic.stride(), [&](std::size_t index) {
      const auto z = static_cast<EventId>(index);
      const bool arrived = std::find(goal.begin(), goal.end(), z) != goal.end();
      const bool useful =
          arrived || std::any_of(goal.begin(), goal.end(), [&](EventId y) { return may.test(z, y); });
      if (!useful) return;
      const Lit step = relations_.edge(skeleton_, x, z);
      if (step == kFalse) return;
      const Lit rest = arrived ? kTrue : route(exits(z), to);
      ways.push_back(relations_.circuit().conjunction(step, rest));
    });
  }
  return relations_.circuit().disjunction(std::move(ways));
}

std::optional<Lit> Paths::decided(std::uint32_t from, std::uint32_t to) {
  if (!acyclic_) return std::nullopt;
  const auto& may = relations_.bounds().of(closure_).may;
  std::vector<Lit> ways;
  relations_.circuit().charge(sets_[from].size() * sets_[to].size() / relation::kWordBits);
  for (const EventId x : sets_[from]) {
    for (const EventId y : sets_[to]) {
      if (x == y || skeleton_.fixed.test(y, x) || !may.test(x, y)) continue;  // a path would close a cycle
      const auto lit = relations_.decided_direction(base_, x, y);
      if (!lit) return std::nullopt;
      ways.push_back(*lit);
    }
  }
  return relations_.circuit().disjunction(std::move(ways));
}

}  // namespace ptxmc::engine::smt

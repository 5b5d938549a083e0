// SPDX-License-Identifier: Apache-2.0
#include "naive.h"

#include <type_traits>
#include <variant>
#include <vector>

#include "support/check.h"

namespace ptxmc::testing {

using namespace relation;
using event::EventId;

namespace {

Pairs sequence(const Pairs& a, const Pairs& b) {
  std::vector<Pairs::value_type> out;
  for (const auto& [x, y] : a) {
    for (auto at = b.lower_bound({y, 0}); at != b.end() && at->first == y; ++at)
      out.emplace_back(x, at->second);
  }
  return Pairs(out.begin(), out.end());
}

Pairs closure(const Pairs& a) {
  Pairs all = a;
  while (true) {
    const Pairs step = sequence(all, a);
    Pairs longer = all;
    longer.insert(step.begin(), step.end());
    if (longer.size() == all.size()) return all;
    all = std::move(longer);
  }
}

bool irreflexive(const Pairs& a) {
  for (const auto& [x, y] : a) {
    if (x == y) return false;
  }
  return true;
}

template <typename T>
T unite(T a, const T& b) {
  a.insert(b.begin(), b.end());
  return a;
}
template <typename T>
T keep(const T& a, const T& b, bool present) {
  T out;
  for (const auto& item : a) {
    if (b.contains(item) == present) out.insert(item);
  }
  return out;
}

}  // namespace

Events Naive::all() const {
  Events out;
  for (EventId e = 0; e < prepared_.graph->size(); ++e) {
    if (exists(e)) out.insert(e);
  }
  return out;
}

Pairs Naive::from_matrix(const BitMatrix& matrix) const {
  Pairs out;
  if (matrix.size() == 0) return out;
  for (EventId a = 0; a < prepared_.graph->size(); ++a) {
    for (EventId b = 0; b < prepared_.graph->size(); ++b) {
      if (exists(a) && exists(b) && matrix.test(a, b)) out.emplace(a, b);
    }
  }
  return out;
}

Pairs Naive::base(std::uint32_t id) const {
  switch (event::base_signature()[id].provider) {
    case Provider::fixed:
      return from_matrix(prepared_.base.relations[id]);
    case Provider::enumerated:
      return from_matrix(execution_.enumerated[id]);
    case Provider::reads_from:
      break;
  }
  Pairs rf;
  const event::ProgramGraph& graph = *prepared_.graph;
  for (EventId read : all()) {
    if (!graph.events[read].is_read()) continue;
    for (std::size_t k = 0; k < graph.slots_of(read); ++k)
      rf.emplace(execution_.reads_from[graph.slot_of(read, k)], read);
  }
  return rf;
}

Pairs Naive::from_reads(const Pairs& co) const {
  const event::ProgramGraph& graph = *prepared_.graph;
  Pairs out;
  for (EventId read : all()) {
    if (!graph.events[read].is_read()) continue;
    for (std::size_t k = 0; k < graph.slots_of(read); ++k) {
      const event::SlotId slot = graph.slot_of(read, k);
      for (EventId write : all()) {
        if (!graph.events[write].is_write() || !graph.covers(write, graph.slot(slot).cell)) continue;
        if (write != graph.events[read].rmw_partner && co.contains({execution_.reads_from[slot], write}))
          out.emplace(read, write);
      }
    }
  }
  return out;
}

Pairs Naive::group_member(std::uint32_t group, std::uint32_t member) {
  const bool known = variables_.contains({group, member});
  if (known) return variables_.at({group, member});
  const RecGroup& bodies = model_.tree.groups()[group];
  const std::size_t count = bodies.bodies.size();
  for (std::uint32_t m = 0; m < count; ++m) variables_[{group, m}] = {};
  ++open_;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t m = 0; m < count; ++m) {
      Pairs next = value(bodies.bodies[m]);
      if (next != variables_[{group, m}]) changed = true;
      variables_[{group, m}] = std::move(next);
    }
  }
  --open_;
  const Pairs result = variables_[{group, member}];
  if (open_ > 0) {  // an inner group may depend on the outer one, which is still moving
    for (std::uint32_t m = 0; m < count; ++m) variables_.erase({group, m});
  }
  return result;
}

Pairs Naive::value(Rel rel) {
  if (open_ > 0) return compute(rel);
  const auto found = memo_.find(rel.index);
  if (found != memo_.end()) return found->second;
  return memo_[rel.index] = compute(rel);
}

Pairs Naive::compute(Rel rel) {
  return std::visit(
      [&](const auto& node) -> Pairs {
        using N = std::decay_t<decltype(node)>;
        Pairs out;
        if constexpr (std::is_same_v<N, BaseRel>) {
          return base(node.base);
        } else if constexpr (std::is_same_v<N, EmptyRel>) {
          return out;
        } else if constexpr (std::is_same_v<N, Identity>) {
          for (EventId e : all()) out.emplace(e, e);
        } else if constexpr (std::is_same_v<N, Restrict>) {
          for (EventId e : value(node.s)) out.emplace(e, e);
        } else if constexpr (std::is_same_v<N, Product>) {
          const Events left = value(node.a), right = value(node.b);
          for (EventId a : left) {
            for (EventId b : right) out.emplace(a, b);
          }
        } else if constexpr (std::is_same_v<N, Union>) {
          return unite(value(node.a), value(node.b));
        } else if constexpr (std::is_same_v<N, Intersection>) {
          return keep(value(node.a), value(node.b), true);
        } else if constexpr (std::is_same_v<N, Difference>) {
          return keep(value(node.a), value(node.b), false);
        } else if constexpr (std::is_same_v<N, Sequence>) {
          return sequence(value(node.a), value(node.b));
        } else if constexpr (std::is_same_v<N, Inverse>) {
          std::vector<Pairs::value_type> turned;
          for (const auto& [a, b] : value(node.a)) turned.emplace_back(b, a);
          return Pairs(turned.begin(), turned.end());
        } else if constexpr (std::is_same_v<N, Closure>) {
          return closure(value(node.a));
        } else if constexpr (std::is_same_v<N, OrderChoice>) {
          return from_matrix(execution_.orders.at(node.order));
        } else if constexpr (std::is_same_v<N, FromReads>) {
          return from_reads(value(node.co));
        } else {
          static_assert(std::is_same_v<N, relation::Variable>);
          return group_member(node.group, node.member);
        }
        return out;
      },
      model_.tree.node(rel));
}

Events Naive::value(Set set) {
  return std::visit(
      [&](const auto& node) -> Events {
        using N = std::decay_t<decltype(node)>;
        Events out;
        if constexpr (std::is_same_v<N, BaseSet>) {
          for (EventId e : all()) {
            if (prepared_.base.sets[node.base].test(e)) out.insert(e);
          }
        } else if constexpr (std::is_same_v<N, EmptySet>) {
          return out;
        } else if constexpr (std::is_same_v<N, Universe>) {
          return all();
        } else if constexpr (std::is_same_v<N, SetUnion>) {
          return unite(value(node.a), value(node.b));
        } else if constexpr (std::is_same_v<N, SetIntersection>) {
          return keep(value(node.a), value(node.b), true);
        } else if constexpr (std::is_same_v<N, SetDifference>) {
          return keep(value(node.a), value(node.b), false);
        } else if constexpr (std::is_same_v<N, Domain>) {
          for (const auto& pair : value(node.r)) out.insert(pair.first);
        } else {
          static_assert(std::is_same_v<N, Range>);
          for (const auto& pair : value(node.r)) out.insert(pair.second);
        }
        return out;
      },
      model_.tree.node(set));
}

bool Naive::holds(const Constraint& constraint) {
  bool result = false;
  if (const Set* set = std::get_if<Set>(&constraint.expression)) {
    PTXMC_CHECK(constraint.test == Test::empty, "only emptiness is a property of a set");
    result = value(*set).empty();
  } else {
    const Pairs pairs = value(std::get<Rel>(constraint.expression));
    switch (constraint.test) {
      case Test::acyclic:
        result = irreflexive(closure(pairs));
        break;
      case Test::irreflexive:
        result = irreflexive(pairs);
        break;
      case Test::empty:
        result = pairs.empty();
        break;
    }
  }
  return result != constraint.negated;
}

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
// Derivations by costs.
//
// The model's tree is evaluated once more, not over truth values but over (min, +): a base pair costs one, a pair
// whose order an execution chose costs more, a union takes the cheaper side, a sequence adds up, a closure is a
// shortest path (Dijkstra), and a `let rec` group is iterated from "absent" until nothing gets cheaper. A pair has a finite cost iff it is in the
// relation, and the choices that led to its cost *are* a smallest explanation: unfolding follows them down. A
// use of a `let rec` variable costs one more than its body, so unfolding always reaches something cheaper and
// ends.
//
// Intersections: one operand says how the two events are connected (the one that an execution chooses, or
// else program order); the others are conditions on the pair and are mentioned, not followed. Cost: nodes *
// events^3 at worst, milliseconds for a litmus test.
#include "explain/derivation.h"

#include <algorithm>

#include "model/relation/graph.h"
#include "support/overloaded.h"

namespace ptxmc::explain {

namespace rel = relation;
using event::EventId;

namespace {

using relation::Graph;

constexpr std::uint32_t kAbsent = CostMatrix::kAbsent;
static_assert(kAbsent == Graph::kFar);
/// An execution chooses the direction of an `order`: what follows from the rest is told before that.
constexpr std::uint32_t kChoice = 64;

Graph graph_of(const CostMatrix& costs) {
  Graph graph(costs.size());
  for (std::size_t a = 0; a < costs.size(); ++a) {
    for (std::size_t b = 0; b < costs.size(); ++b) {
      if (costs.has(a, b)) graph.add(a, b, costs.at(a, b));
    }
  }
  return graph;
}

/// Vertices of a cheapest path of at least one edge, both ends included; `costs` has such a path.
std::vector<EventId> path(const CostMatrix& costs, std::size_t from, std::size_t to) {
  const Graph graph = graph_of(costs);
  std::vector<EventId> best;
  std::uint32_t best_cost = kAbsent;
  const auto rest = [&](std::size_t first, std::uint32_t first_cost) {
    const Graph::Paths paths = graph.cheapest_from(first);
    if (paths.distance[to] == kAbsent || first_cost + paths.distance[to] >= best_cost) return;
    best_cost = first_cost + paths.distance[to];
    best.clear();
    for (std::size_t at = to; at != first; at = paths.previous[at]) best.push_back(static_cast<EventId>(at));
    best.push_back(static_cast<EventId>(first));
    if (first_cost != 0 || from == to) best.push_back(static_cast<EventId>(from));
    std::reverse(best.begin(), best.end());
  };
  if (from != to) {
    rest(from, 0);
  } else {
    for (std::size_t next = 0; next < costs.size(); ++next) {
      if (costs.has(from, next)) rest(next, costs.at(from, next));
    }
  }
  return best;
}

}  // namespace

Derivation::Derivation(const check::NaiveInput& input) : input_(input), relations_(input) {
  for (const rel::Definition& definition : input.model.definitions) {
    const auto* r = std::get_if<rel::Rel>(&definition.value);
    if (!r || std::holds_alternative<rel::EmptyRel>(input.model.tree.node(*r))) continue;
    names_.try_emplace(r->index, Name{definition.name, definition.section});
  }
}

// ---- Costs
// -----------------------------------------------------------------------------------------------------

const CostMatrix& Derivation::costs(rel::Rel r) {
  if (const auto* v = std::get_if<rel::Variable>(&input_.model.tree.node(r))) {
    if (!solved_.contains(v->group) && !open_.contains(v->group)) solve(v->group);
    return variables_.at({v->group, v->member});
  }
  if (const auto it = memo_.find(r.index); it != memo_.end()) return it->second;
  CostMatrix computed = compute(r);
  order_.push_back(r.index);
  return memo_[r.index] = std::move(computed);
}

void Derivation::solve(std::uint32_t group) {
  const std::vector<rel::Rel>& bodies = input_.model.tree.groups()[group].bodies;
  for (std::uint32_t m = 0; m < bodies.size(); ++m) variables_[{group, m}] = CostMatrix(input_.graph.size());
  open_.insert(group);
  for (bool changed = true; changed;) {
    const std::size_t mark = order_.size();
    const std::set<std::uint32_t> solved_before = solved_;
    std::vector<CostMatrix> next;
    for (const rel::Rel body : bodies) {
      CostMatrix one_more(input_.graph.size());
      const CostMatrix& found = costs(body);
      for (std::size_t a = 0; a < found.size(); ++a) {
        for (std::size_t b = 0; b < found.size(); ++b) {
          if (found.has(a, b)) one_more.offer(a, b, found.at(a, b) + 1);
        }
      }
      next.push_back(std::move(one_more));
    }
    changed = false;
    for (std::uint32_t m = 0; m < bodies.size(); ++m) {
      changed |= next[m] != variables_[{group, m}];
      variables_[{group, m}] = std::move(next[m]);
    }
    // What was computed from the unfinished values is taken back.
    for (; order_.size() > mark; order_.pop_back()) memo_.erase(order_.back());
    solved_ = solved_before;
  }
  open_.erase(group);
  solved_.insert(group);
}

CostMatrix Derivation::from_pairs(rel::Rel r, std::uint32_t cost) {
  CostMatrix out(input_.graph.size());
  for (const auto& [a, b] : relations_.value(r)) out.offer(a, b, cost);
  return out;
}

CostMatrix Derivation::sequence(const CostMatrix& a, const CostMatrix& b) const {
  CostMatrix out(a.size());
  for (std::size_t x = 0; x < a.size(); ++x) {
    for (std::size_t y = 0; y < a.size(); ++y) {
      if (!a.has(x, y)) continue;
      for (std::size_t z = 0; z < a.size(); ++z) {
        if (b.has(y, z)) out.offer(x, z, a.at(x, y) + b.at(y, z));
      }
    }
  }
  return out;
}

CostMatrix Derivation::closure(const CostMatrix& a) const {
  CostMatrix out(a.size());
  const Graph graph = graph_of(a);
  std::vector<Graph::Paths> paths;
  for (std::size_t x = 0; x < a.size(); ++x) paths.push_back(graph.cheapest_from(x));
  for (std::size_t x = 0; x < a.size(); ++x) {
    for (std::size_t y = 0; y < a.size(); ++y) {
      if (x != y && paths[x].distance[y] != kAbsent) out.offer(x, y, paths[x].distance[y]);
      if (a.has(x, y) && paths[y].distance[x] != kAbsent) out.offer(x, x, a.at(x, y) + paths[y].distance[x]);
    }
  }
  return out;
}

CostMatrix Derivation::compute(rel::Rel r) {
  const std::size_t size = input_.graph.size();
  const auto free_on_identity = [&] {
    CostMatrix out(size);
    for (const auto& [a, b] : relations_.value(r)) out.offer(a, b, 0);
    return out;
  };
  const auto each = [&](const CostMatrix& of, auto&& keep) {
    CostMatrix out(size);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        if (of.has(a, b)) keep(out, a, b, of.at(a, b));
      }
    }
    return out;
  };
  return std::visit(
      Overloaded{
          [&](const rel::BaseRel&) { return from_pairs(r); },
          [&](const rel::EmptyRel&) { return CostMatrix(size); },
          [&](const rel::Identity&) { return free_on_identity(); },
          [&](const rel::Restrict&) { return free_on_identity(); },
          [&](const rel::Product&) { return from_pairs(r); },
          [&](const rel::Union& n) {
            CostMatrix out = costs(n.a);
            const CostMatrix other = costs(n.b);
            for (std::size_t a = 0; a < size; ++a) {
              for (std::size_t b = 0; b < size; ++b) out.offer(a, b, other.at(a, b));
            }
            return out;
          },
          [&](const rel::Intersection& n) {
            const CostMatrix other = costs(n.b);
            const Weight left = weight(n.a), right = weight(n.b);
            return each(costs(n.a), [&](CostMatrix& out, std::size_t a, std::size_t b, std::uint32_t cost) {
              if (other.has(a, b)) out.offer(a, b, left >= right ? cost : other.at(a, b));
            });
          },
          [&](const rel::Difference& n) {
            const check::PairSet without = relations_.value(n.b);
            return each(costs(n.a), [&](CostMatrix& out, std::size_t a, std::size_t b, std::uint32_t cost) {
              if (!without.contains({static_cast<EventId>(a), static_cast<EventId>(b)}))
                out.offer(a, b, cost);
            });
          },
          [&](const rel::Sequence& n) {
            const CostMatrix first = costs(n.a);
            return sequence(first, costs(n.b));
          },
          [&](const rel::Inverse& n) {
            return each(costs(n.a), [](CostMatrix& out, std::size_t a, std::size_t b, std::uint32_t cost) {
              out.offer(b, a, cost);
            });
          },
          [&](const rel::Closure& n) { return closure(costs(n.a)); },
          [&](const rel::OrderChoice&) { return from_pairs(r, kChoice); },
          [&](const rel::FromReads&) { return from_pairs(r); },
          [&](const rel::Variable&) { return costs(r); },
      },
      input_.model.tree.node(r));
}

// ---- What decides a relation
// -----------------------------------------------------------------------------------

Derivation::Weight Derivation::weight(rel::Rel r) {
  if (const auto it = weights_.find(r.index); it != weights_.end()) return it->second;
  const auto greater = [&](rel::Rel a, rel::Rel b) { return std::max(weight(a), weight(b)); };
  const Weight found =
      std::visit(Overloaded{
                     [&](const rel::BaseRel& n) {
                       const rel::BaseRow& row = input_.signature[n.base];
                       if (row.provider != rel::Provider::fixed) return Weight::chosen;
                       return row.name == "po" || row.name == "dep" ? Weight::ordered : Weight::fixed;
                     },
                     [](const rel::EmptyRel&) { return Weight::fixed; },
                     [](const rel::Identity&) { return Weight::fixed; },
                     [](const rel::Restrict&) { return Weight::fixed; },
                     [](const rel::Product&) { return Weight::fixed; },
                     [&](const rel::Union& n) { return greater(n.a, n.b); },
                     [&](const rel::Intersection& n) { return greater(n.a, n.b); },
                     [&](const rel::Difference& n) { return weight(n.a); },
                     [&](const rel::Sequence& n) { return greater(n.a, n.b); },
                     [&](const rel::Inverse& n) { return weight(n.a); },
                     [&](const rel::Closure& n) { return weight(n.a); },
                     [](const rel::OrderChoice&) { return Weight::chosen; },
                     [](const rel::FromReads&) { return Weight::chosen; },
                     [](const rel::Variable&) { return Weight::chosen; },
                 },
                 input_.model.tree.node(r));
  return weights_[r.index] = found;
}

std::optional<Derivation::Name> Derivation::name_of(rel::Rel r) const {
  const auto it = names_.find(r.index);
  const rel::RelNode& node = input_.model.tree.node(r);
  if (const auto* base = std::get_if<rel::BaseRel>(&node)) {
    const rel::BaseRow& row = input_.signature[base->base];
    if (it != names_.end() && !it->second.section.empty()) return it->second;
    return Name{row.name, row.section};
  }
  if (it != names_.end()) return it->second;
  if (const auto* choice = std::get_if<rel::OrderChoice>(&node)) {
    const rel::OrderDeclaration& order = input_.model.orders[choice->order];
    return Name{order.name, order.section};
  }
  return std::nullopt;
}

// ---- Paths

Chain Derivation::unfold_closure(rel::Rel a, EventId from, EventId to) {
  const std::vector<EventId> events = path(costs(a), from, to);
  Chain out;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) append(out, a, events[i], events[i + 1]);
  return out;
}

std::vector<EventId> Derivation::shortest_cycle(rel::Rel r) {
  const CostMatrix& edges = costs(r);
  // An edge that costs nothing still counts as one.
  CostMatrix counted(edges.size());
  for (std::size_t a = 0; a < edges.size(); ++a) {
    for (std::size_t b = 0; b < edges.size(); ++b) {
      if (edges.has(a, b)) counted.offer(a, b, edges.at(a, b) + 1);
    }
  }
  const CostMatrix closed = closure(counted);
  std::size_t best = closed.size();
  for (std::size_t e = 0; e < closed.size(); ++e) {
    if (closed.has(e, e) && (best == closed.size() || closed.at(e, e) < closed.at(best, best))) best = e;
  }
  if (best == closed.size()) return {};
  return path(counted, best, best);
}

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// Acyclicity by vertex elimination (Rankooh and Rintanen, AAAI 2022): vertices are removed one by one;
// removing v adds, for each edge u -> v and v -> w, the edge u -> w, true if both are. A two-cycle between v
// and a neighbour, at the time v is removed, is forbidden. Cost: the sum of in-degree * out-degree at
// elimination, which for the sparse graphs of programs is near linear and for a tournament n^3 / 3, where no
// new variable is needed: an edge that closes a cycle with a decided opposite edge is the negation of that
// edge.
//
// Only vertices on cycles that contain dynamic pairs take part (strongly connected components of the upper
// bound, ends of dynamic pairs); fixed edges are the constant true. The vertex with the fewest new edges goes
// first.
#include "axiomatic/engine/smt/acyclic.h"

#include <algorithm>
#include <limits>

namespace ptxmc::engine::smt {

using event::EventId;
using relation::BitMatrix;
using relation::BitSet;

namespace {

class Elimination {
 public:
  Elimination(Relations& relations, relation::Rel r, const std::vector<EventId>& vertices,
              const BitMatrix& pairs)
      : relations_(relations),
        r_(r),
        fixed_(relations.skeleton(r).fixed),
        vertices_(vertices),
        edges_(vertices.size()) {
    const std::size_t n = vertices.size();
    const Skeleton& skeleton = relations.skeleton(r);
    for (auto& row : edges_) row.assign(n, kFalse);
    alive_.assign(n, true);
    owned_.assign(n * n, false);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (is_fixed(i, j)) {
          edges_[i][j] = kTrue;
        } else if (pairs.test(vertices[i], vertices[j])) {
          edges_[i][j] = relations.edge(skeleton, vertices[i], vertices[j]);
        }
      }
    }
    reduce_fixed();
  }

  void run() {
    for (std::size_t left = vertices_.size(); left > 1; --left) {
      relations_.deadline().check();
      eliminate(cheapest());
    }
  }

 private:
  bool is_fixed(std::size_t i, std::size_t j) const {
    return i != j && fixed_.test(vertices_[i], vertices_[j]);
  }

  // A fixed edge that two fixed edges imply only makes the graph denser.
  void reduce_fixed() {
    const std::size_t n = vertices_.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (!is_fixed(i, j)) continue;
        for (std::size_t m = 0; m < n && edges_[i][j] != kFalse; ++m) {
          if (is_fixed(i, m) && is_fixed(m, j)) edges_[i][j] = kFalse;
        }
      }
    }
  }

  std::size_t cheapest() const {
    std::size_t best = 0, best_cost = std::numeric_limits<std::size_t>::max();
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      if (!alive_[v]) continue;
      std::size_t in = 0, out = 0;
      for (std::size_t u = 0; u < vertices_.size(); ++u) {
        if (!alive_[u]) continue;
        in += edges_[u][v] != kFalse ? 1 : 0;
        out += edges_[v][u] != kFalse ? 1 : 0;
      }
      if (in * out < best_cost) {
        best = v;
        best_cost = in * out;
      }
    }
    return best;
  }

  void eliminate(std::size_t v) {
    alive_[v] = false;
    std::vector<std::size_t> in, out;
    for (std::size_t u = 0; u < vertices_.size(); ++u) {
      if (!alive_[u]) continue;
      if (edges_[u][v] != kFalse) in.push_back(u);
      if (edges_[v][u] != kFalse) out.push_back(u);
    }
    relations_.circuit().charge(in.size() * out.size());
    for (const std::size_t u : in) {
      for (const std::size_t w : out) bridge(u, v, w);
    }
  }

  void bridge(std::size_t u, std::size_t v, std::size_t w) {
    const Lit first = edges_[u][v], second = edges_[v][w];
    Cnf& cnf = relations_.cnf();
    if (u == w || is_fixed(w, u)) {  // a cycle
      cnf.require_any({!first, !second});
      return;
    }
    Lit& edge = edges_[u][w];
    if (first == kTrue && second == kTrue) edge = kTrue;  // also puts back what reduce_fixed() left out
    if (edge == kTrue || is_fixed(u, w)) return;          // a path of fixed edges says it already
    if (!owned(u, w)) edge = own(u, w);
    cnf.require_any({!first, !second, edge});
  }

  // A literal that may be made true by paths: the decided direction if there is one, else a new input above
  // the edge.
  Lit own(std::size_t u, std::size_t w) {
    owned_[u * vertices_.size() + w] = true;
    const Lit before = edges_[u][w];
    // Fixed edges stand even where their ends do not exist; a choice only says something where both do.
    const bool always = relations_.both(vertices_[u], vertices_[w]) == kTrue;
    if (const auto lit =
            always ? relations_.decided_direction(r_, vertices_[u], vertices_[w]) : std::nullopt) {
      if (before != kFalse) relations_.cnf().require_implies(before, *lit);
      return *lit;
    }
    const Lit fresh = relations_.circuit().input();
    if (before != kFalse) relations_.cnf().require_implies(before, fresh);
    return fresh;
  }
  bool owned(std::size_t u, std::size_t w) const { return owned_[u * vertices_.size() + w]; }

  Relations& relations_;
  relation::Rel r_;
  const BitMatrix& fixed_;
  const std::vector<EventId>& vertices_;
  std::vector<std::vector<Lit>> edges_;
  std::vector<bool> alive_;
  std::vector<bool> owned_;  // edge may be made true by paths: u * n + w
};

/// Strongly connected components of more than one vertex, ascending.
std::vector<std::vector<EventId>> components(const BitMatrix& graph) {
  BitMatrix closure = graph;
  closure.close();
  std::vector<std::vector<EventId>> result;
  std::vector<char> seen(graph.size(), 0);
  for (EventId a = 0; a < graph.size(); ++a) {
    if (seen[a] != 0 || !closure.test(a, a)) continue;
    std::vector<EventId> members;
    for (EventId b = a; b < graph.size(); ++b) {
      if (b != a && !(closure.test(a, b) && closure.test(b, a))) continue;
      members.push_back(b);
      seen[b] = 1;
    }
    if (members.size() > 1) result.push_back(std::move(members));
  }
  return result;
}

}  // namespace

void encode_acyclic(Relations& relations, relation::Rel r) {
  const Skeleton& skeleton = relations.skeleton(r);
  Cnf& cnf = relations.cnf();
  const std::size_t n = skeleton.fixed.size();
  BitMatrix open = skeleton.dynamic;
  for (EventId a = 0; a < n; ++a) {  // cycles of length one, and of a dynamic pair against a fixed path
    for (EventId b = 0; b < n; ++b) {
      if (!open.test(a, b) || (a != b && !skeleton.fixed.test(b, a))) continue;
      cnf.require(!relations.edge(skeleton, a, b));
      open.reset(a, b);
    }
  }
  for (EventId a = 0; a < n; ++a) {  // an event on a cycle of fixed edges does not exist, and is on no other
    if (!skeleton.fixed.test(a, a)) continue;
    cnf.require(!relations.both(a, a));
    for (EventId b = 0; b < n; ++b) {
      open.reset(a, b);
      open.reset(b, a);
    }
  }
  BitMatrix graph = skeleton.fixed;
  graph |= open;
  for (const auto& component : components(graph)) {
    relations.deadline().check();
    BitMatrix pairs(n);
    BitSet ends(n);
    for (const EventId a : component) {
      for (const EventId b : component) {
        if (!open.test(a, b) || relations.edge(skeleton, a, b) == kFalse) continue;
        pairs.set(a, b);
        ends.set(a);
        ends.set(b);
      }
    }
    std::vector<EventId> vertices;
    ends.for_each([&](std::size_t e) { vertices.push_back(static_cast<EventId>(e)); });
    Elimination(relations, r, vertices, pairs).run();
  }
}

}  // namespace ptxmc::engine::smt

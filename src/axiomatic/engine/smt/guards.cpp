// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/guards.h"

#include <algorithm>
#include <map>

namespace ptxmc::engine::smt {

namespace {

using event::Expr;
using event::ExprPool;
using event::Op;

// A conjunct: 2 * expression index + (negated).
using Conjuncts = std::vector<std::uint32_t>;

void collect(const ExprPool& pool, Expr e, bool negated, Conjuncts& out) {
  const event::Node& node = pool[e];
  if (node.width == 1 && node.op == Op::not_) return collect(pool, node.a, !negated, out);
  if (node.width == 1 && node.op == (negated ? Op::or_ : Op::and_)) {
    collect(pool, node.a, negated, out);
    collect(pool, node.b, negated, out);
    return;
  }
  // a != b is the negation of a == b: one key for both, so that they are seen to exclude each other.
  out.push_back(2 * e.index + (negated ? 1 : 0));
}

bool contradicts(const Conjuncts& a, const Conjuncts& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::uint32_t key) { return std::binary_search(b.begin(), b.end(), key ^ 1); });
}

}  // namespace

Guards::Guards(const event::ProgramGraph& graph)
    : always(graph.size(), 0), together(graph.size()), implied_by(graph.size()) {
  const std::size_t n = graph.size();
  std::map<Expr, std::vector<std::size_t>> classes;  // events by guard: there are few distinct guards
  for (std::size_t e = 0; e < n; ++e) classes[graph.events[e].guard].push_back(e);
  struct Class {
    Conjuncts conjuncts;
    relation::BitSet members;
    bool never = false;
  };
  std::vector<Class> all;
  for (const auto& [guard, members] : classes) {
    Class c{{}, relation::BitSet(n), graph.exprs.is_false(guard)};
    if (!graph.exprs.is_true(guard)) {
      collect(graph.exprs, guard, false, c.conjuncts);
      std::sort(c.conjuncts.begin(), c.conjuncts.end());
      c.never = c.never || contradicts(c.conjuncts, c.conjuncts);
      all_always = false;
    }
    for (const std::size_t e : members) {
      c.members.set(e);
      always[e] = c.conjuncts.empty() && !c.never ? 1 : 0;
    }
    all.push_back(std::move(c));
  }
  const auto add = [&](relation::BitMatrix& matrix, const Class& rows, const Class& columns) {
    rows.members.for_each([&](std::size_t a) {
      for (std::size_t w = 0; w < matrix.stride(); ++w) matrix.row(a)[w] |= columns.members.data()[w];
    });
  };
  for (const Class& a : all) {
    for (const Class& b : all) {
      if (!a.never && !b.never && !contradicts(a.conjuncts, b.conjuncts)) add(together, a, b);
      const bool b_implies_a =
          std::includes(b.conjuncts.begin(), b.conjuncts.end(), a.conjuncts.begin(), a.conjuncts.end());
      if (b.never || (!a.never && b_implies_a)) add(implied_by, a, b);
    }
  }
}

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/reads_exist.h"

#include <algorithm>

namespace ptxmc::lower {

using event::EventId;
using event::Expr;
using event::Literal;
using event::Node;
using event::Op;

Expr ReadsExist::of(Expr e) {
  const Node node = pool_[e];
  if (node.op == Op::value_of) return of_event(node.atom);
  const int count = event::arity(node.op);
  if (count == 0) return pool_.truth(true);
  if (const auto known = of_node_.find(e); known != of_node_.end()) return known->second;
  const Expr operands[] = {node.a, node.b, node.c};
  Expr parts[3], all = pool_.truth(true);
  for (int k = 0; k < count; ++k) {
    parts[k] = recursion_.deeper([&] { return of(operands[k]); });
    all = pool_.conjunction(all, parts[k]);
  }
  if (!pool_.is_true(all)) all = weaken(node, parts, all);
  of_node_.emplace(e, all);
  return all;
}

/// What its guard says beyond the given one.
Expr ReadsExist::of_event(EventId e) {
  const Expr guard = graph_.events[e].guard;
  if (guard == guard_) return pool_.truth(true);
  const auto [place, fresh] = of_guard_.try_emplace(guard, pool_.truth(true));
  if (!fresh) return place->second;
  const std::vector<Literal> needs = event::conjuncts(pool_, guard);
  std::vector<Literal> open;
  std::set_difference(needs.begin(), needs.end(), given_.begin(), given_.end(), std::back_inserter(open));
  for (const auto& [atom, positive] : open)
    place->second = pool_.conjunction(place->second, positive ? atom : pool_.negation(atom));
  return place->second;
}

/// Not all operands need to have a value.
Expr ReadsExist::weaken(const Node& node, const Expr (&parts)[3], Expr all) {
  if (node.op == Op::ite)
    return pool_.conjunction(parts[0], pool_.make(Op::ite, 1, node.a, parts[1], parts[2]));
  if (node.width != 1 || (node.op != Op::and_ && node.op != Op::or_)) return all;
  const auto decides = [&](Expr operand, Expr exists) {
    return pool_.conjunction(exists, node.op == Op::or_ ? operand : pool_.negation(operand));
  };
  return pool_.disjunction(all, pool_.disjunction(decides(node.a, parts[0]), decides(node.b, parts[1])));
}

}  // namespace ptxmc::lower

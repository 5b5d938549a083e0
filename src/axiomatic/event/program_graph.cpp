// SPDX-License-Identifier: Apache-2.0
// Guards of a program graph, and the enumeration of its control-flow paths.
#include "axiomatic/event/program_graph.h"

#include <algorithm>

#include "axiomatic/event/expr_evaluate.h"
#include "axiomatic/event/guards.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

bool is_connective(Op op) {
  return op == Op::and_ || op == Op::or_ || op == Op::xor_ || op == Op::not_ || op == Op::ite;
}

}  // namespace

bool is_leaf(const ExprPool& pool, Expr e) {
  const Node& node = pool[e];
  return node.width == 1 && node.op != Op::constant && !is_connective(node.op);
}

std::vector<Expr> leaves(const ExprPool& pool, Expr e) {
  if (pool.is_constant(e)) return {};
  std::vector<char> reached(e.index + 1, 0);
  std::vector<Expr> found;
  reached[e.index] = 1;
  for (std::uint32_t i = e.index + 1; i-- > 0;) {
    if (!reached[i]) continue;
    const Node& node = pool[Expr{i}];
    if (is_leaf(pool, Expr{i})) {
      found.push_back(Expr{i});
    } else {
      const Expr operands[] = {node.a, node.b, node.c};
      for (int k = 0; k < arity(node.op); ++k) reached[operands[k].index] = 1;
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::optional<Value> evaluate_under(const ExprPool& pool, const std::vector<Decision>& decisions, Expr e,
                                    const Assignment& assignment) {
  if (pool.is_constant(e)) return pool[e].constant;
  PTXMC_CHECK(assignment.size() <= decisions.size(), "an assignment of another graph");
  const auto leaf = [&](Expr x, const Node&, std::optional<Value>& value) {
    if (!is_leaf(pool, x)) return false;
    for (std::size_t d = 0; d < assignment.size(); ++d) {
      if (decisions[d].condition == x && assignment[d] != Truth::unset) {
        value = assignment[d] == Truth::yes ? 1 : 0;
        break;
      }
    }
    return true;
  };
  return Evaluation(pool, leaf, e.index + 1).run(e);
}

SlotId ProgramGraph::slot_of(EventId e, std::size_t k) const {
  PTXMC_CHECK(k <= events[e].part_count, "the access does not have so many cells");
  return k == 0 ? e : static_cast<SlotId>(events.size() + events[e].first_part + k - 1);
}

Slot ProgramGraph::slot(SlotId s) const {
  if (s < events.size()) return {s, events[s].cell, events[s].value};
  const Part& part = parts[s - events.size()];
  return {part.event, part.cell, part.value};
}

SlotId ProgramGraph::slot_at(EventId e, CellId cell) const {
  for (std::size_t k = 0; k < slots_of(e); ++k) {
    const SlotId s = slot_of(e, k);
    if (slot(s).cell == cell && cell != kNoCell) return s;
  }
  return kNoSlot;
}

std::optional<bool> evaluate_guard(const ProgramGraph& graph, Expr guard, const Assignment& assignment) {
  const auto value = evaluate_under(graph.exprs, graph.decisions, guard, assignment);
  if (!value) return std::nullopt;
  return *value != 0;
}

bool exists_on(const ProgramGraph& graph, Expr guard, const Assignment& path) {
  PTXMC_CHECK(path.size() == graph.decisions.size(), "a path that is not whole");
  return evaluate_guard(graph, guard, path).value_or(false);
}

bool may_hold(const ProgramGraph& graph, std::size_t decision, const Assignment& assignment) {
  const auto one_number = [&](const Node& node) {
    return node.op == Op::eq && graph.exprs.is_constant(node.a) != graph.exprs.is_constant(node.b);
  };
  const Node& asked = graph.exprs[graph.decisions[decision].condition];
  if (!one_number(asked)) return true;
  for (std::size_t d = 0; d < std::min(decision, assignment.size()); ++d) {
    if (assignment[d] != Truth::yes) continue;
    const Node& known = graph.exprs[graph.decisions[d].condition];
    if (!one_number(known)) continue;
    // Equal expressions are one, so that two conditions of one value name two numbers.
    const bool one_value = graph.exprs.is_constant(asked.b) ? known.a == asked.a : known.b == asked.b;
    if (one_value && known != asked) return false;
  }
  return true;
}

namespace {

/// The first decisions say of each part of the guard what it is, or that nothing has that value.
bool knows_leaves(const ProgramGraph& graph, Expr guard, std::size_t decisions) {
  const std::vector<Expr> parts = leaves(graph.exprs, guard);
  return std::all_of(parts.begin(), parts.end(), [&](Expr leaf) {
    const auto end = graph.decisions.begin() + static_cast<std::ptrdiff_t>(decisions);
    return std::any_of(graph.decisions.begin(), end, [&](const Decision& d) { return d.condition == leaf; });
  });
}

}  // namespace

std::optional<std::vector<Assignment>> enumerate_assignments(const ProgramGraph& graph, std::size_t limit) {
  std::vector<Assignment> paths{Assignment{}};
  for (const Decision& decision : graph.decisions) {
    std::vector<Assignment> longer;
    for (Assignment& path : paths) {
      const std::optional<bool> matters = evaluate_guard(graph, decision.guard, path);
      PTXMC_CHECK(matters || knows_leaves(graph, decision.guard, path.size()),
                  "the guard of a decision depends on a later decision");
      const bool both = matters.value_or(false) && may_hold(graph, path.size(), path);
      if (longer.size() + (both ? 2 : 1) > limit) return std::nullopt;
      if (both) {
        longer.push_back(path);
        longer.back().push_back(Truth::no);
      }
      path.push_back(both ? Truth::yes : matters.value_or(false) ? Truth::no : Truth::unset);
      longer.push_back(std::move(path));
    }
    paths = std::move(longer);
  }
  return paths;
}

std::vector<Literal> conjuncts(const ExprPool& pool, Expr guard) {
  std::vector<Literal> parts;
  std::vector<Expr> open{guard};
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    const Node& node = pool[e];
    if (pool.is_true(e)) continue;
    if (node.op == Op::and_ && node.width == 1) {
      open.push_back(node.a);
      open.push_back(node.b);
    } else if (node.op == Op::not_) {
      parts.push_back({node.a, false});
    } else {
      parts.push_back({e, true});
    }
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

bool exclude_each_other(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->atom == y->atom) {
      if (x->positive != y->positive) return true;
      ++x, ++y;
    } else if (x->atom < y->atom) {
      ++x;
    } else {
      ++y;
    }
  }
  return false;
}

bool torn_between(const ProgramGraph& graph, EventId a, CellId from_a, EventId b, CellId from_b) {
  const bool first = graph.events[a].kind == EventKind::initial_write,
             second = graph.events[b].kind == EventKind::initial_write;
  if (a == b || (first && second)) return false;
  return (first || graph.covers(a, from_b)) && (second || graph.covers(b, from_a));
}

namespace {

using Parts = std::vector<Literal>;

/// What stands for both, if one of them or something shorter does.
std::optional<Parts> joined(const Parts& a, const Parts& b) {
  Parts only_a, only_b;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b));
  if (only_a.empty()) return a;
  if (only_b.empty()) return b;
  if (only_a.size() != 1 || only_b.size() != 1 || only_a[0].atom != only_b[0].atom) return std::nullopt;
  Parts common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

bool join_two(std::vector<Parts>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (auto one = joined(all[i], all[j])) {
        all[i] = std::move(*one);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Expr any_of(ExprPool& pool, const std::vector<Expr>& guards) {
  std::vector<Parts> all;
  for (const Expr guard : guards) all.push_back(conjuncts(pool, guard));
  while (join_two(all)) {
  }
  Expr any = pool.truth(false);
  for (const Parts& parts : all) {
    Expr path = pool.truth(true);
    for (const auto& [atom, positive] : parts)
      path = pool.conjunction(path, positive ? atom : pool.negation(atom));
    any = pool.disjunction(any, path);
  }
  return any;
}

}  // namespace ptxmc::event

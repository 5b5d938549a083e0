// SPDX-License-Identifier: Apache-2.0
#include "lower/memory/value_domains.h"

#include <algorithm>
#include <map>

#include "event/guards.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::Expr;
using event::Value;

constexpr std::size_t kMaxValues = 16;

/// The one atom that an expression depends on; nothing when there are several, or a final value.
std::optional<Expr> only_atom(const event::ExprPool& pool, Expr e) {
  std::vector<Expr> open = {e};
  std::set<Expr> seen;
  std::optional<Expr> found;
  while (!open.empty()) {
    const Expr next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const event::Node& node = pool[next];
    if (node.op == event::Op::constant) continue;
    const int operands = event::arity(node.op);
    if (operands == 0) {
      if (found || node.op != event::Op::value_of) return std::nullopt;
      found = next;
    }
    const Expr all[] = {node.a, node.b, node.c};
    open.insert(open.end(), all, all + operands);
  }
  return found;
}

}  // namespace

ValueDomains::ValueDomains(const event::ProgramGraph& graph)
    : graph_(graph), cells_(graph.cells.size(), std::set<Value>{}) {
  for (bool changed = true; changed;) {
    changed = false;
    for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
      const event::Slot slot = graph.slot(s);
      const Event& event = graph.events[slot.event];
      if (!event.is_write()) continue;
      const bool chosen = event.kind == event::EventKind::initial_write && !event.choices.empty();
      const Domain stored = chosen ? Domain(std::in_place, event.choices.begin(), event.choices.end())
                                   : of_expression(slot.value);
      changed = widen(slot.cell, stored) || changed;
    }
  }
}

ValueDomains::Domain ValueDomains::of_atom(Expr atom) const {
  const event::Node& node = graph_.exprs[atom];
  if (node.atom >= graph_.size() || !graph_.events[node.atom].is_access()) return std::nullopt;
  return cells_[graph_.slot(graph_.slot_of(node)).cell];
}

ValueDomains::Domain ValueDomains::of_expression(Expr e) const {
  if (graph_.exprs.is_constant(e)) return std::set<Value>{graph_.exprs[e].constant};
  const auto atom = only_atom(graph_.exprs, e);
  if (!atom) return std::nullopt;
  const Domain values = of_atom(*atom);
  if (!values) return std::nullopt;
  std::set<Value> results;
  for (const Value value : *values) {
    const auto result = evaluate(e, *atom, value);
    if (!result) return std::nullopt;
    results.insert(*result);
  }
  return results;
}

std::optional<Value> ValueDomains::evaluate(Expr e, Expr atom, Value value) const {
  const event::Node& known = graph_.exprs[atom];
  try {
    return graph_.exprs.evaluate(e, [&](const event::Node& node) -> std::optional<Value> {
      if (node.op == known.op && node.atom == known.atom && node.constant == known.constant) return value;
      return std::nullopt;
    });
  } catch (const event::Overflow&) {
    return std::nullopt;
  }
}

bool ValueDomains::widen(event::CellId cell, const Domain& more) {
  Domain& known = cells_[cell];
  if (!known) return false;
  if (!more) {
    known.reset();
    return true;
  }
  const std::size_t before = known->size();
  known->insert(more->begin(), more->end());
  const bool grown = known->size() != before;
  if (known->size() > kMaxValues) known.reset();
  return grown;
}

bool ValueDomains::may_hold(Expr guard) const {
  std::map<Expr, std::vector<event::Literal>> by_atom;  // the parts that depend on one cell of one read alone
  for (const event::Literal& part : event::conjuncts(graph_.exprs, guard)) {
    if (const auto atom = only_atom(graph_.exprs, part.atom)) by_atom[*atom].push_back(part);
  }
  return std::all_of(by_atom.begin(), by_atom.end(), [&](const auto& entry) {
    const auto& [atom, parts] = entry;
    const Domain values = of_atom(atom);
    if (!values) return true;
    return std::any_of(values->begin(), values->end(), [&, a = atom, &list = parts](Value value) {
      return std::all_of(list.begin(), list.end(), [&](const event::Literal& part) {
        const auto truth = evaluate(part.atom, a, value);
        return !truth || (*truth != 0) == part.positive;
      });
    });
  });
}

}  // namespace ptxmc::lower

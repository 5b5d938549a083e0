// SPDX-License-Identifier: Apache-2.0
#include "lower/value_domains.h"

#include <algorithm>
#include <map>

#include "event/guards.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::EventId;
using event::Expr;
using event::Value;

constexpr std::size_t kMaxValues = 16;

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

ValueDomains::Domain ValueDomains::of_atom(EventId atom) const {
  if (atom >= graph_.size() || !graph_.events[atom].is_access()) return std::nullopt;
  if (graph_.events[atom].part_count != 0) return std::nullopt;  // its cells are read together
  if (graph_.events[atom].part_count != 0) return std::nullopt;  // which of its cells is meant is not asked
  return cells_[graph_.events[atom].cell];
}

ValueDomains::Domain ValueDomains::of_expression(Expr e) const {
  if (graph_.exprs.is_constant(e)) return std::set<Value>{graph_.exprs[e].constant};
  const std::vector<EventId> atoms = graph_.exprs.atoms(e);
  if (atoms.size() != 1) return std::nullopt;
  const Domain values = of_atom(atoms.front());
  if (!values) return std::nullopt;
  std::set<Value> results;
  for (const Value value : *values) {
    const auto result = evaluate(e, atoms.front(), value);
    if (!result) return std::nullopt;
    results.insert(*result);
  }
  return results;
}

std::optional<Value> ValueDomains::evaluate(Expr e, EventId atom, Value value) const {
  try {
    return graph_.exprs.evaluate(e, [&](const event::Node& node) -> std::optional<Value> {
      if (node.op == event::Op::value_of && node.atom == atom) return value;
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
  std::map<EventId, std::vector<event::Literal>> by_atom;  // the parts that depend on one read alone
  for (const event::Literal& part : event::conjuncts(graph_.exprs, guard)) {
    const std::vector<EventId> atoms = graph_.exprs.atoms(part.atom);
    if (atoms.size() == 1) by_atom[atoms.front()].push_back(part);
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

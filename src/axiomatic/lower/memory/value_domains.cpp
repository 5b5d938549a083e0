// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/value_domains.h"

#include <algorithm>
#include <utility>

namespace ptxmc::lower {
namespace {

using event::Event;
using event::Expr;
using event::Node;
using event::Op;
using event::SlotId;
using event::Value;

constexpr std::size_t kMaxAtomics = 64;  // of one cell, that are counted

bool is_atomic_write(const Event& event) {
  return event.is_write() && event.rmw_partner != event::kNoEvent && event.part_count == 0;
}

/// In program order, and through the generic proxy.
bool is_generic(const Event& event) {
  return event.issue == event::kNoEvent && event.labels.proxy == isa::Proxy::generic;
}

}  // namespace

ValueDomains::ValueDomains(const event::ProgramGraph& graph)
    : graph_(graph),
      initial_(graph.cells.size(), Known::nothing()),
      written_(graph.cells.size(), Known::nothing()) {
  for (SlotId s = 0; s < graph.slot_count(); ++s) {
    const event::Slot slot = graph.slot(s);
    const Event& event = graph.events[slot.event];
    if (is_atomic_write(event)) atomics_[slot.cell].push_back(s);
    if (event.kind == event::EventKind::write && is_generic(event))
      own_[{event.thread, slot.cell}].push_back(slot.event);
  }
  std::erase_if(atomics_, [](const auto& entry) { return entry.second.size() > kMaxAtomics; });
  for (bool changed = true; changed;) {
    std::vector<Known> stored(graph.cells.size(), Known::nothing());
    KnownValues values(graph.exprs, [this](const Node& atom) { return of_atom(atom); });
    for (SlotId s = 0; s < graph.slot_count(); ++s) store(s, values, stored);
    changed = false;
    for (event::CellId cell = 0; cell < graph.cells.size(); ++cell) {
      const event::Width width = graph.cells[cell].width;
      stored[cell] =
          joined(stored[cell], after_atomics(cell, joined(initial_[cell], stored[cell], width)), width);
      Known more = joined(written_[cell], stored[cell], width);
      if (more == written_[cell]) continue;
      written_[cell] = std::move(more);
      changed = true;
    }
  }
}

/// Adds to `held`, by cell, what a write stores, but for that of an atomic that is counted.
void ValueDomains::store(SlotId s, KnownValues& values, std::vector<Known>& held) {
  const event::Slot slot = graph_.slot(s);
  const Event& event = graph_.events[slot.event];
  if (!event.is_write()) return;
  if (is_atomic_write(event) && atomics_.contains(slot.cell)) return;
  const event::Width width = graph_.cells[slot.cell].width;
  if (event.kind == event::EventKind::initial_write) {
    initial_[slot.cell] = event.choices.empty()
                              ? values.of(slot.value)
                              : Known::of({event.choices.begin(), event.choices.end()}, width);
    return;
  }
  held[slot.cell] = joined(held[slot.cell], values.of(slot.value), width);
}

/// What the atomics of a cell write that holds `before` otherwise: some of them, each once, one on what another left.
Known ValueDomains::after_atomics(event::CellId cell, Known before) const {
  Known all = Known::nothing();
  const auto found = atomics_.find(cell);
  if (found == atomics_.end()) return all;
  const event::Width width = graph_.cells[cell].width;
  for (std::size_t n = 0; n < found->second.size(); ++n) {
    Known next = Known::nothing();
    for (const SlotId s : found->second) {
      const event::Slot slot = graph_.slot(s);
      KnownValues values(graph_.exprs, [this](const Node& atom) { return of_atom(atom); });
      values.suppose(graph_.events[graph_.events[slot.event].rmw_partner].value, before);
      next = joined(next, values.of(slot.value), width);
    }
    Known more = joined(all, next, width);
    if (more == all) break;
    all = std::move(more);
    before = std::move(next);
  }
  return all;
}

/// The thread wrote that cell before, on every path to the read.
bool ValueDomains::overwritten(const Node& read) const {
  const Event& event = graph_.events[read.atom];
  const auto own = own_.find({event.thread, graph_.slot(graph_.slot_of(read)).cell});
  if (own == own_.end() || !is_generic(event)) return false;
  const auto path = event::conjuncts(graph_.exprs, event.guard);
  return std::any_of(own->second.begin(), own->second.end(), [&](event::EventId id) {
    const Event& write = graph_.events[id];
    const auto needs = event::conjuncts(graph_.exprs, write.guard);
    return id < read.atom && id != event.rmw_partner && write.labels.name == event.labels.name &&
           std::includes(path.begin(), path.end(), needs.begin(), needs.end());
  });
}

Known ValueDomains::of_atom(const Node& node) const {
  if (node.op != Op::value_of || node.atom >= graph_.size() || !graph_.events[node.atom].is_access())
    return known_of_atom(graph_.exprs, node);
  const event::CellId cell = graph_.slot(graph_.slot_of(node)).cell;
  return overwritten(node) ? written_[cell] : joined(initial_[cell], written_[cell], node.width);
}

/// The one part of a literal that it depends on, where that is few values: the largest part, or an atom.
std::optional<Expr> ValueDomains::pivot_of(Expr literal, KnownValues& values, bool atoms_only) const {
  std::vector<Expr> open = {literal};
  std::set<Expr> seen;
  std::optional<Expr> found;
  while (!open.empty()) {
    const Expr next = open.back();
    open.pop_back();
    const Node& node = graph_.exprs[next];
    if (!seen.insert(next).second || node.op == Op::constant) continue;
    const int operands = event::arity(node.op);
    const bool stops = operands == 0 || (!atoms_only && next != literal && values.of(next).values);
    if (stops) {
      if (found || !values.of(next).values) return std::nullopt;
      found = next;
      continue;
    }
    const Expr all[] = {node.a, node.b, node.c};
    open.insert(open.end(), all, all + operands);
  }
  return found;
}

/// Some value of `pivot` makes all of them true.
bool ValueDomains::consistent(Expr pivot, const std::vector<event::Literal>& literals) const {
  const auto atoms = [this](const Node& atom) { return of_atom(atom); };
  KnownValues all(graph_.exprs, atoms);
  const std::set<Value> candidates = *all.of(pivot).values;
  return std::any_of(candidates.begin(), candidates.end(), [&](Value value) {
    KnownValues values(graph_.exprs, atoms);
    values.suppose(pivot, Known::of({value}, graph_.exprs[pivot].width));
    return std::all_of(literals.begin(), literals.end(), [&](const event::Literal& literal) {
      return values.of(literal.atom).may_be(literal.positive ? 1 : 0);
    });
  });
}

bool ValueDomains::may_hold(Expr guard) const {
  KnownValues values(graph_.exprs, [this](const Node& atom) { return of_atom(atom); });
  Literals by_part, by_atom;
  for (const event::Literal& part : event::conjuncts(graph_.exprs, guard)) {
    if (!values.of(part.atom).may_be(part.positive ? 1 : 0)) return false;
    if (const auto pivot = pivot_of(part.atom, values, false)) by_part[*pivot].push_back(part);
    if (const auto pivot = pivot_of(part.atom, values, true)) by_atom[*pivot].push_back(part);
  }
  std::erase_if(by_atom, [&](const auto& entry) {  // the same question
    const auto part = by_part.find(entry.first);
    return part != by_part.end() && part->second == entry.second;
  });
  const auto possible = [this](const auto& entry) { return consistent(entry.first, entry.second); };
  return std::all_of(by_part.begin(), by_part.end(), possible) &&
         std::all_of(by_atom.begin(), by_atom.end(), possible);
}

}  // namespace ptxmc::lower

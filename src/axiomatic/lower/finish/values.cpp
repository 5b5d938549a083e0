// SPDX-License-Identifier: Apache-2.0
// Values that nothing asks for.
//
// The result of a matrix product is a function of everything its operands hold, and a chain of products has
// as many values as there are orders to compute it in. Most programs never look: they ask for races, or for one
// register. So, in a program with tensor memory, cells whose values reach no guard, no operand and no condition
// hold zero throughout. What a stored value depended on is kept (ProgramGraph::dependencies), as the model
// sees it. Cost: one pass over the expressions for each round of cells that become known to matter.
#include <algorithm>

#include "axiomatic/lower/finish/finish.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::EventId;
using event::Expr;
using event::Node;
using event::Op;

class Needs {
 public:
  explicit Needs(const event::ProgramGraph& graph)
      : graph_(graph), expressions_(graph.exprs.size(), 0), cells_(graph.cells.size(), 0) {}

  void ask(Expr e) { expressions_[e.index] = 1; }
  void ask(const std::optional<Expr>& e) {
    if (e) ask(*e);
  }

  /// Closes under reads: what may be read must be known.
  void close() {
    for (bool grows = true; grows;) {
      descend();
      grows = false;
      for (event::SlotId s = 0; s < graph_.slot_count(); ++s) {
        const event::Slot slot = graph_.slot(s);
        const bool asked = graph_.events[slot.event].is_write() && cells_[slot.cell] != 0;
        if (!asked || expressions_[slot.value.index] != 0) continue;
        ask(slot.value);
        grows = true;
      }
    }
  }
  const std::vector<char>& cells() const { return cells_; }

 private:
  /// Operands precede what is made of them.
  void descend() {
    for (std::uint32_t i = graph_.exprs.size(); i-- > 0;) {
      if (expressions_[i] == 0) continue;
      const Node& node = graph_.exprs[Expr{i}];
      if (node.op == Op::final_value) cells_[node.atom] = 1;
      if (node.op == Op::value_of && node.atom < graph_.size() && graph_.events[node.atom].is_access())
        cells_[graph_.slot(graph_.slot_of(node)).cell] = 1;
      const Expr operands[] = {node.a, node.b, node.c};
      for (int k = 0; k < event::arity(node.op); ++k) ask(operands[k]);
    }
  }

  const event::ProgramGraph& graph_;
  std::vector<char> expressions_, cells_;
};

void ask_events(const event::ProgramGraph& graph, Needs& needs) {
  for (const Event& e : graph.events) {
    needs.ask(e.guard);
    needs.ask(e.address);
    if (e.barrier) {
      needs.ask(e.barrier->id);
      needs.ask(e.barrier->count);
    }
    if (!e.mbarrier) continue;
    needs.ask(e.mbarrier->object);
    for (const auto& operand :
         {e.mbarrier->count, e.mbarrier->tx, e.mbarrier->token, e.mbarrier->parity, e.mbarrier->seen})
      needs.ask(operand);
  }
}

void ask_rest(const event::ProgramGraph& graph, Needs& needs) {
  for (const event::Decision& decision : graph.decisions) {
    needs.ask(decision.condition);
    needs.ask(decision.guard);
  }
  for (const Expr assumption : graph.assumptions) needs.ask(assumption);
  for (const event::Observable& seen : graph.observables) needs.ask(seen.value);
  for (const event::Misuse& misuse : graph.misuses) needs.ask(misuse.guard);
  for (const event::Hang& hang : graph.hangs) needs.ask(hang.guard);
  needs.ask(graph.proposition);
  needs.ask(graph.filter);
}

}  // namespace

std::vector<char> needed_cells(const event::ProgramGraph& graph) {
  Needs needs(graph);
  ask_events(graph, needs);
  ask_rest(graph, needs);
  needs.close();
  return needs.cells();
}

void drop_values(event::ProgramGraph& graph) {
  const std::vector<char> needed = needed_cells(graph);
  for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
    const event::Slot slot = graph.slot(s);
    Event& event = graph.events[slot.event];
    if (!event.is_write() || needed[slot.cell] != 0) continue;
    for (const EventId source : graph.exprs.atoms(slot.value)) {
      if (graph.events[source].is_read()) graph.dependencies.emplace_back(source, slot.event);
    }
    const Expr zero = graph.exprs.constant(0, graph.exprs[slot.value].width);
    if (s < graph.size()) {
      event.value = zero;
      event.choices.clear();
    } else {
      graph.parts[s - graph.size()].value = zero;
    }
  }
  auto& pairs = graph.dependencies;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Unknown initial values (.shared without an initial value holds an unknown constant).
//
// Programs that only copy such a value and compare it for equality cannot tell two values apart that they
// compare with nothing. So it suffices to consider, per unknown, one fresh value that prints as a name, and
// every constant that is compared with anything; with order comparisons their neighbours too; and where two
// values of the program are compared with each other, also the fresh values of the other unknowns. Arithmetic
// could tell more values apart: then the graph says symbolic_arithmetic, and "none found" is Unknown.
#include <algorithm>
#include <set>

#include "lower/finish.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;
using event::Node;
using event::Op;
using event::Value;
using event::Width;

bool is_order(Op op) {
  return op == Op::lt_s || op == Op::lt_u || op == Op::le_s || op == Op::le_u;
}
bool is_comparison(Op op) {
  return op == Op::eq || is_order(op);
}
bool is_width_change(Op op) {
  return op == Op::sign_extend || op == Op::zero_extend || op == Op::truncate;
}

/// What the program and its condition compare.
struct Comparisons {
  std::set<Value> constants;
  bool ordered = false;
  bool between_values = false;
};

/// Adds the constants that e may be: itself, or the branches of a choice.
void add_constants(const event::ExprPool& pool, Expr e, std::set<Value>& out) {
  if (pool.is_constant(e)) out.insert(pool[e].constant);
  if (pool[e].op == Op::ite) {
    for (const Expr branch : {pool[e].b, pool[e].c}) {
      if (pool.is_constant(branch)) out.insert(pool[branch].constant);
    }
  }
}

Comparisons comparisons(const event::ExprPool& pool) {
  Comparisons found;
  for (std::uint32_t i = 0; i < pool.size(); ++i) {
    const Node& node = pool[Expr{i}];
    if (!is_comparison(node.op)) continue;
    add_constants(pool, node.a, found.constants);
    add_constants(pool, node.b, found.constants);
    found.ordered = found.ordered || is_order(node.op);
    found.between_values = found.between_values || (!pool.is_constant(node.a) && !pool.is_constant(node.b));
  }
  return found;
}

/// Which expressions may carry an unknown value, given the cells that may hold one.
class Flow {
 public:
  explicit Flow(const Unit& unit)
      : graph_(unit.graph), cells_(graph_.cells.size()), carries_(graph_.exprs.size()) {}

  void taint(event::CellId cell) { cells_[cell] = true; }

  /// Closes under reads and writes; true when an unknown meets arithmetic or an order comparison.
  bool reaches_arithmetic() {
    bool arithmetic = false;
    for (bool changed = true; changed;) {
      arithmetic = propagate();
      changed = false;
      for (event::SlotId s = 0; s < graph_.slot_count(); ++s) {
        const event::Slot slot = graph_.slot(s);
        const bool write = graph_.events[slot.event].kind == event::EventKind::write;
        if (write && carries_[slot.value.index] && !cells_[slot.cell]) cells_[slot.cell] = changed = true;
      }
    }
    return arithmetic;
  }

 private:
  bool propagate() {
    bool arithmetic = false;
    for (std::uint32_t i = 0; i < carries_.size(); ++i) {
      const Node& node = graph_.exprs[Expr{i}];
      const Expr operands[] = {node.a, node.b, node.c};
      bool any = false;
      for (int k = 0; k < event::arity(node.op); ++k) any = any || carries_[operands[k].index];
      if (node.op == Op::value_of) {
        carries_[i] = node.atom < graph_.size() && graph_.events[node.atom].is_access() &&
                      cells_[graph_.slot(graph_.slot_of(node)).cell];
      } else if (node.op == Op::final_value) {
        carries_[i] = cells_[node.atom];
      } else if (node.op == Op::ite || is_width_change(node.op)) {
        carries_[i] = any;
      } else if (node.op != Op::eq && node.width != 1) {
        carries_[i] = any;
        arithmetic = arithmetic || any;
      } else {
        arithmetic = arithmetic || (any && is_order(node.op));
      }
    }
    return arithmetic;
  }

  const event::ProgramGraph& graph_;
  std::vector<char> cells_, carries_;
};

/// A value that nothing in the program equals, recognisable in dumps.
Value fresh_value(Width width, std::set<Value>& used) {
  const Value start = width == event::kUnbounded || width >= 32 ? 0x5eed0000 : width == 16 ? 0x5e00 : 0xa0;
  Value value = start;
  while (used.contains(event::wrap(value, width))) ++value;
  used.insert(event::wrap(value, width));
  return event::wrap(value, width);
}

std::string symbol_name(const Unit& unit, EventId id) {
  std::string name = unit.graph.cells[unit.graph.events[id].cell].name;
  name.erase(std::remove(name.begin(), name.end(), ']'), name.end());
  std::replace(name.begin(), name.end(), '[', '_');
  name += "_init";
  const auto taken = [&](const std::string& n) {
    return std::any_of(unit.graph.symbols.begin(), unit.graph.symbols.end(),
                       [&](const auto& symbol) { return symbol.second == n; });
  };
  std::string unique = name;
  for (int i = 2; taken(unique); ++i) unique = name + "_" + std::to_string(i);
  return unique;
}

}  // namespace

void choose_unknowns(Unit& unit, const std::vector<EventId>& unknown) {
  if (unknown.empty()) return;
  const Comparisons compared = comparisons(unit.graph.exprs);
  std::set<Value> constants = compared.constants;
  if (compared.ordered) {
    for (const Value c : compared.constants) {
      constants.insert(static_cast<Value>(static_cast<std::uint64_t>(c) - 1));
      constants.insert(static_cast<Value>(static_cast<std::uint64_t>(c) + 1));
    }
  }
  std::set<Value> used = constants;
  for (std::uint32_t i = 0; i < unit.pool().size(); ++i) {
    if (unit.pool().is_constant(Expr{i})) used.insert(unit.pool()[Expr{i}].constant);
  }
  for (const auto& [value, name] : unit.graph.symbols) used.insert(value);

  std::vector<Value> fresh;
  Flow flow(unit);
  for (const EventId id : unknown) {
    event::Event& event = unit.graph.events[id];
    const Width width = unit.graph.cells[event.cell].width;
    std::set<Value> choices;
    for (const Value c : constants) choices.insert(event::wrap(c, width));
    event.choices = {fresh_value(width, used)};
    unit.graph.symbols.emplace_back(event.choices.front(), symbol_name(unit, id));
    if (compared.between_values) {
      for (const Value other : fresh) choices.insert(event::wrap(other, width));
    }
    choices.erase(event.choices.front());
    fresh.push_back(event.choices.front());
    event.choices.insert(event.choices.end(), choices.begin(), choices.end());
    flow.taint(event.cell);
  }
  unit.graph.symbolic_arithmetic = flow.reaches_arithmetic();
}

}  // namespace ptxmc::lower

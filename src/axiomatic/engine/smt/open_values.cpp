// SPDX-License-Identifier: Apache-2.0
// Terms flow from the expressions that write them, by reads-from and final values, until nothing changes.
#include "axiomatic/engine/smt/open_values.h"

#include <algorithm>
#include <utility>

namespace ptxmc::engine::smt {

using event::Expr;
using event::Node;
using event::Op;
using event::SlotId;

namespace {

/// What the program says of values; a pool may have expressions besides that are about nothing any more.
std::vector<Expr> roots(const event::ProgramGraph& graph) {
  std::vector<Expr> out{graph.proposition, graph.filter};
  for (const event::Observable& observable : graph.observables) out.push_back(observable.value);
  for (SlotId s = 0; s < graph.slot_count(); ++s) out.push_back(graph.slot(s).value);
  return out;
}

/// In the order of the pool: operands come before their users.
std::vector<Expr> reached(const event::ExprPool& pool, std::vector<Expr> open) {
  std::vector<char> seen(pool.size(), 0);
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (std::exchange(seen[e.index], 1) != 0) continue;
    const Node& node = pool[e];
    const Expr operands[] = {node.a, node.b, node.c};
    open.insert(open.end(), operands, operands + event::arity(node.op));
  }
  std::vector<Expr> out;
  for (std::uint32_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != 0) out.push_back(Expr{i});
  }
  return out;
}

}  // namespace

OpenValues::OpenValues(const event::ProgramGraph& graph, const Sources& sources)
    : open_(graph.exprs.size(), 0) {
  if (!graph.exprs.has_terms()) return;
  const std::vector<Expr> expressions = reached(graph.exprs, roots(graph));
  std::vector<char> cells(graph.cells.size(), 0);
  const auto stored = [&](SlotId s) { return open_[graph.slot(s).value.index] != 0; };
  const auto is_open = [&](const Node& node) {
    if (node.op == Op::term || node.op == Op::opaque) return true;
    if (node.op == Op::final_value) return cells[node.atom] != 0;
    if (node.op == Op::value_of) {
      const auto& writes = sources[graph.slot_of(node)];
      return std::any_of(writes.begin(), writes.end(), stored);
    }
    const Expr operands[] = {node.a, node.b, node.c};
    return std::any_of(operands, operands + event::arity(node.op),
                       [&](Expr x) { return open_[x.index] != 0; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Expr e : expressions) {
      if (open_[e.index] == 0 && is_open(graph.exprs[e])) open_[e.index] = 1, changed = true;
    }
    for (event::CellId cell = 0; cell < cells.size(); ++cell) {
      const auto& writes = sources.of_final[cell];
      if (cells[cell] == 0 && std::any_of(writes.begin(), writes.end(), stored))
        cells[cell] = 1, changed = true;
    }
  }
}

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/proposition.h"

#include <map>

#include "support/check.h"

namespace ptxmc::engine::explicit_ {

using event::Expr;
using event::Node;
using event::Op;
using event::Value;

Proposition::Proposition(const event::ProgramGraph& graph) : graph_(graph) {
  std::map<Expr, std::size_t> known;
  std::vector<Expr> open{graph.proposition};
  while (!open.empty()) {
    const Expr e = open.back();
    const Node& node = graph.exprs[e];
    const int operands = event::arity(node.op);
    const Expr all[] = {node.a, node.b, node.c};
    bool ready = true;
    for (int k = 0; k < operands; ++k) {
      if (known.contains(all[k])) continue;
      open.push_back(all[k]);
      ready = false;
    }
    if (!ready) continue;
    open.pop_back();
    if (known.contains(e)) continue;
    known.emplace(e, steps_.size());
    may_overflow_ = may_overflow_ || (operands > 0 && node.width == event::kUnbounded);
    const auto step_of = [&](int k) { return k < operands ? known.at(all[k]) : 0; };
    steps_.push_back({node, operands, step_of(0), step_of(1), step_of(2),
                      operands > 0 ? graph.exprs[node.a].width : node.width});
  }
  cells_.resize(steps_.size());
}

/// Conjunction (decisive = 0) or disjunction (decisive = 1) of three truth values.
Proposition::Cell Proposition::truths(const Cell& a, const Cell& b, Value decisive) const {
  if ((a.known && a.value == decisive) || (b.known && b.value == decisive)) return {decisive, true};
  return {1 - decisive, a.known && b.known};
}

void Proposition::compute(std::size_t i) {
  const Step& step = steps_[i];
  const Node& node = step.node;
  Cell& out = cells_[i];
  if (node.op == Op::constant) {
    out = {node.constant, true};
    return;
  }
  const Cell &a = cells_[step.a], &b = cells_[step.b];
  if (node.width == 1 && node.op == Op::and_) {
    out = truths(a, b, 0);
  } else if (node.width == 1 && node.op == Op::or_) {
    out = truths(a, b, 1);
  } else if (node.op == Op::ite) {
    const Cell& c = cells_[step.c];
    const bool same = b.known && c.known && b.value == c.value;
    out = a.known ? (a.value != 0 ? b : c) : Cell{b.value, same};
  } else if (step.operands == 0 || node.op == Op::opaque || !a.known || (step.operands > 1 && !b.known)) {
    out.known = false;
  } else {
    out = {event::apply(node.op, node.width, step.operand_width, a.value, step.operands > 1 ? b.value : 0),
           true};
  }
}

bool Proposition::on_demand(const std::function<std::optional<Value>(const event::Node&)>& lookup) const {
  const std::optional<Value> value = graph_.exprs.evaluate(graph_.proposition, lookup);
  PTXMC_CHECK(value.has_value(), "a state decides the proposition");
  return *value != 0;
}

bool Proposition::result() const {
  PTXMC_CHECK(cells_.back().known, "a state decides the proposition");
  return cells_.back().value != 0;
}

}  // namespace ptxmc::engine::explicit_

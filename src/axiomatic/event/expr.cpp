// SPDX-License-Identifier: Apache-2.0
// The expression pool: hash-consing, dependencies and three-valued evaluation.
//
// Operands always have smaller indices than the node that uses them, so index order is a topological order.
// Index 0 is the constant true: a default-constructed Expr is a guard that always holds.
#include "axiomatic/event/expr.h"

#include <algorithm>

#include "axiomatic/event/expr_evaluate.h"
#include "axiomatic/event/expr_fold.h"
#include "axiomatic/event/valuation.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

/// The operands of a node as an array.
struct Operands {
  Expr list[3];
  int count;
  explicit Operands(const Node& node) : list{node.a, node.b, node.c}, count(arity(node.op)) {}
  const Expr* begin() const { return list; }
  const Expr* end() const { return list + count; }
};

}  // namespace

ExprPool::ExprPool() {
  constant(1, 1);
}

Expr ExprPool::constant(Value value, Width width) {
  if (width == 1 && (value & 1) != 0 && !nodes_.empty()) return {};  // true, the first
  Node node;
  node.width = width;
  node.constant = wrap(value, width);
  return add(node);
}

Expr ExprPool::value_of(EventId event, Width width, std::uint32_t part) {
  Node node;
  node.op = Op::value_of;
  node.constant = part;
  node.width = width;
  node.atom = event;
  return add(node);
}

Expr ExprPool::final_value(std::uint32_t cell, Width width) {
  Node node;
  node.op = Op::final_value;
  node.width = width;
  node.atom = cell;
  return add(node);
}

ExprPool ExprPool::with_names_of(const ExprPool& other) {
  ExprPool pool;
  pool.terms_ = other.terms_;
  pool.functions_ = other.functions_;
  return pool;
}

Expr ExprPool::new_term(Term term) {
  terms_.push_back(std::move(term));
  return this->term(static_cast<std::uint32_t>(terms_.size() - 1));
}

Expr ExprPool::term(std::uint32_t id) {
  Node node;
  node.op = Op::term;
  node.width = terms_.at(id).width;
  node.atom = id;
  return add(node);
}

std::optional<Expr> ExprPool::find_term(std::uint32_t id) const {
  Node node;
  node.op = Op::term;
  node.width = terms_.at(id).width;
  node.atom = id;
  const auto it = ids_.find(node);
  return it == ids_.end() ? std::nullopt : std::optional<Expr>(Expr{it->second});
}

Expr ExprPool::opaque(std::string_view function, Width width, Expr a, Expr b) {
  const auto known = std::find(functions_.begin(), functions_.end(), function);
  const auto number = known - functions_.begin();
  if (known == functions_.end()) functions_.emplace_back(function);
  return opaque(static_cast<Value>(number), width, a, b);
}

Expr ExprPool::opaque(Value function, Width width, Expr a, Expr b) {
  PTXMC_CHECK(width != 1, "a truth value that is a function of which nothing is known");
  Node node;
  node.op = Op::opaque;
  node.width = width;
  node.constant = function;
  node.a = a;
  node.b = b;
  return add(node);
}

Expr ExprPool::make(Op op, Width width, Expr a, Expr b, Expr c) {
  Node node;
  node.op = op;
  node.width = width;
  node.a = a;
  node.b = b;
  node.c = c;
  node = canonical(*this, node);
  if (const auto folded = fold(*this, node)) return *folded;
  return add(node);
}

Expr ExprPool::add(const Node& node) {
  const auto [place, fresh] = ids_.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  has_terms_ = has_terms_ || node.op == Op::term || node.op == Op::opaque;
  return Expr{place->second};
}

void ExprPool::rename_events(const std::vector<EventId>& to) {
  for (Node& node : nodes_) {
    if (node.op == Op::value_of && node.atom < to.size()) node.atom = to[node.atom];
  }
  ids_.clear();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) ids_.emplace(nodes_[i], i);
}

std::vector<EventId> ExprPool::atoms(Expr e) const {
  if (is_constant(e)) return {};
  if (nodes_[e.index].op == Op::value_of) return {nodes_[e.index].atom};
  std::vector<char> reached(e.index + 1, 0);
  std::vector<EventId> found;
  reached[e.index] = 1;
  for (std::uint32_t i = e.index + 1; i-- > 0;) {  // operands come before their users
    if (!reached[i]) continue;
    if (nodes_[i].op == Op::value_of) found.push_back(nodes_[i].atom);
    for (const Expr operand : Operands(nodes_[i])) reached[operand.index] = 1;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<Value> ExprPool::evaluate(Expr e,
                                        const std::function<std::optional<Value>(const Node&)>& lookup,
                                        const Valuation* valuation) const {
  PTXMC_CHECK(e.index < nodes_.size(), "an expression of another pool");
  const auto leaf = [&](const Node& n) -> std::optional<Value> {
    if (n.op != Op::term) return lookup(n);
    if (!valuation) return std::nullopt;
    return valuation->of_term(*this, n.atom);
  };
  const Node& node = nodes_[e.index];
  if (node.op == Op::constant) return node.constant;
  if (arity(node.op) == 0) return leaf(node);
  const auto atom = [&](Expr, const Node& n, std::optional<Value>& value) {
    if (arity(n.op) != 0) return false;
    value = leaf(n);
    return true;
  };
  return Evaluation(*this, atom, e.index + 1, valuation).run(e);
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/closed.h"

#include <algorithm>

#include "axiomatic/event/guards.h"

namespace ptxmc::event {

void Closed::enter(const Execution& execution) {
  execution_ = &execution;
  known_.clear();
  auto [place, fresh] = paths_.try_emplace(execution.decisions, nullptr);
  if (fresh) {
    place->second = std::make_unique<Path>(graph_.exprs);
    for (std::size_t d = 0; d < graph_.decisions.size(); ++d) {
      if (execution.decisions[d] == Truth::unset) continue;
      place->second->simplified[graph_.decisions[d].condition] =
          place->second->pool.truth(execution.decisions[d] == Truth::yes);
    }
  }
  path_ = place->second.get();
}

// Operands come before their users, so index order is one to rebuild in.
Expr Closed::simplify(Expr root) {
  auto& known = path_->simplified;
  if (const auto it = known.find(root); it != known.end()) return it->second;
  std::set<Expr> reached{root};
  for (auto it = reached.rbegin(); it != reached.rend(); ++it) {
    if (known.contains(*it)) continue;
    const Node& node = path_->pool[*it];
    const Expr operands[] = {node.a, node.b, node.c};
    for (int k = 0; k < arity(node.op); ++k) reached.insert(operands[k]);
  }
  for (const Expr e : reached) {
    if (known.contains(e)) continue;
    const Node node = path_->pool[e];
    const int count = arity(node.op);
    const auto operand = [&](int k, Expr x) { return k < count ? known.at(x) : x; };
    const Expr out =
        count == 0 ? e
                   : path_->pool.rebuild(node, operand(0, node.a), operand(1, node.b), operand(2, node.c));
    known[e] = out;
    known[out] = out;
  }
  return known.at(root);
}

/// The simplified expression that an atom stands for; Expr{} (true) where it has none.
Expr Closed::stored_for(const Node& atom) {
  if (atom.op == Op::final_value) {
    const EventId last = execution_->final_writes[atom.atom];
    if (last == kNoEvent) return {};
    return simplify(graph_.slot(graph_.slot_at(last, atom.atom)).value);
  }
  if (!execution_->exists.test(atom.atom)) return {};
  const Slot slot = graph_.slot(graph_.slot_of(atom));
  const EventId source = execution_->reads_from[graph_.slot_of(atom)];
  if (source == kNoEvent) return {};
  return simplify(graph_.slot(graph_.slot_at(source, slot.cell)).value);
}

SymbolicValue Closed::datum(Expr e) {
  return raw(simplify(e));
}

SymbolicValue Closed::raw(Expr root) {
  std::vector<Expr> open{root};
  while (!open.empty()) {
    const Expr e = open.back();
    if (known_.contains(e)) {
      open.pop_back();
      continue;
    }
    const Node node = path_->pool[e];
    std::vector<Expr> operands{node.a, node.b, node.c};
    operands.resize(static_cast<std::size_t>(arity(node.op)));
    if (node.op == Op::value_of && graph_.events[node.atom].kind == EventKind::initial_write) {
      known_[e] = SymbolicValue{execution_->values[graph_.slot_of(node)], {}};  // one of its choices
      continue;
    }
    const bool is_atom = node.op == Op::value_of || node.op == Op::final_value;
    if (is_atom) {
      const Expr stored = stored_for(node);
      if (stored.index == 0) {
        known_[e] = SymbolicValue{};
        continue;
      }
      operands = {stored};
    }
    const auto missing =
        std::find_if(operands.begin(), operands.end(), [&](Expr x) { return !known_.contains(x); });
    if (missing != operands.end()) {
      open.push_back(*missing);
      continue;
    }
    const auto operand = [&](std::size_t k) {
      return k < operands.size() ? known_.at(operands[k]) : SymbolicValue{};
    };
    if (is_atom) {
      known_[e] = operand(0);
    } else if (node.op == Op::constant) {
      known_[e] = SymbolicValue{node.constant, {}};
    } else if (node.op == Op::term) {
      known_[e] = symbols_.term(node.atom);
    } else {
      known_[e] = symbols_.apply(path_->pool, node, operand(0), operand(1), operand(2));
    }
    open.pop_back();
  }
  return known_.at(root);
}

std::vector<Expr> Closed::obligations() {
  std::vector<Expr> out;
  const auto ask = [&](SymbolicValue datum, bool positive) {
    if (!datum.is_number()) out.push_back(positive ? datum.expr : symbols_.pool().negation(datum.expr));
  };
  for (std::size_t d = 0; d < graph_.decisions.size(); ++d) {
    const Truth truth = execution_->decisions[d];
    if (truth != Truth::unset) ask(raw(graph_.decisions[d].condition), truth == Truth::yes);
  }
  for (const Expr e : graph_.assumptions) ask(datum(e), true);
  ask(datum(graph_.filter), true);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void Closed::add_support(Expr root, Support& support) const {
  std::vector<Expr> open{root};
  std::set<Expr> seen;
  const auto decided = [&](Expr e) {
    for (std::size_t d = 0; d < graph_.decisions.size(); ++d) {
      if (graph_.decisions[d].condition != e || execution_->decisions[d] == Truth::unset) continue;
      support.decisions.insert(d);
      return e != root;  // the root's own condition is looked into
    }
    return false;
  };
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (!seen.insert(e).second || decided(e)) continue;
    const Node& node = graph_.exprs[e];
    const Expr operands[] = {node.a, node.b, node.c};
    open.insert(open.end(), operands, operands + arity(node.op));
    if (node.op == Op::final_value) {
      support.cells.insert(node.atom);
      const EventId last = execution_->final_writes[node.atom];
      if (last != kNoEvent) open.push_back(graph_.slot(graph_.slot_at(last, node.atom)).value);
    } else if (node.op == Op::value_of) {
      const SlotId slot = graph_.slot_of(node);
      if (graph_.events[node.atom].kind == EventKind::initial_write) continue;  // decided by a decision
      for (const Expr leaf : leaves(graph_.exprs, graph_.events[node.atom].guard)) open.push_back(leaf);
      if (!execution_->exists.test(node.atom) || execution_->reads_from[slot] == kNoEvent) continue;
      support.slots.insert(slot);
      open.push_back(graph_.slot(graph_.slot_at(execution_->reads_from[slot], graph_.slot(slot).cell)).value);
    }
  }
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/finish/substitution.h"

namespace ptxmc::lower {

using event::Expr;
using event::Node;
using event::Op;

Expr Substitution::operator()(Expr root) {
  std::vector<Expr> open{root};
  while (!open.empty()) {
    const Expr e = open.back();
    if (done_.contains(e) || step(e, open)) open.pop_back();
  }
  return done_.at(root);
}

bool Substitution::step(Expr e, std::vector<Expr>& open) {
  const Node node = pool_[e];
  if (node.op == Op::value_of) {
    const auto found = replacements_.find({node.atom, node.constant});
    done_[e] = found == replacements_.end() ? e : found->second;
    return true;
  }
  Expr operands[] = {node.a, node.b, node.c};
  const int count = event::arity(node.op);
  for (int i = 0; i < count; ++i) {
    const auto found = done_.find(operands[i]);
    if (found == done_.end()) {
      open.push_back(operands[i]);
      return false;
    }
    operands[i] = found->second;
  }
  done_[e] = count == 0 ? e : pool_.rebuild(node, operands[0], operands[1], operands[2]);
  return true;
}

/// As many rounds as there are results suffice.
void close(event::ExprPool& pool, Replacements& results) {
  for (std::size_t round = 0; round < results.size(); ++round) {
    Substitution substitute(pool, results);
    Replacements next;
    for (const auto& [key, result] : results) next[key] = substitute(result);
    if (next == results) break;
    results = std::move(next);
  }
}

bool gives_predicate(const Exchange& exchange) {
  return exchange.kind == ExchangeKind::shuffle || exchange.kind == ExchangeKind::elect ||
         (exchange.kind == ExchangeKind::match && exchange.modifiers.warp_mode == isa::WarpMode::all);
}

}  // namespace ptxmc::lower

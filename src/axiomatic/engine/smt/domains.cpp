// SPDX-License-Identifier: Apache-2.0
// Value analysis: the sets of values that may flow to each read, as the fixpoint of reads-from and of the
// expressions that writes store, on finite sets. In an execution without value cycles a value travels at most
// once through each read, so as many rounds as there are reads are enough even where a counter could
// otherwise grow forever: N increments give 0..N. Sets larger than kMaxValues, or products larger than
// kMaxProduct, are given up as "not finite"; bits (words.h) take over there. Cost: rounds * expressions *
// product of operand sets.
#include "axiomatic/engine/smt/domains.h"

#include <algorithm>

#include "model/relation/bits.h"

namespace ptxmc::engine::smt {

namespace {

using event::EventId;
using event::Expr;
using event::Node;
using event::Op;
using event::SlotId;
using event::Value;

constexpr std::size_t kMaxValues = 192;
constexpr std::size_t kMaxProduct = std::size_t{1} << 16;

void normalise(ValueSet& domain) {
  std::sort(domain.values.begin(), domain.values.end());
  domain.values.erase(std::unique(domain.values.begin(), domain.values.end()), domain.values.end());
  if (domain.values.size() > kMaxValues) domain.finite = false;
  if (!domain.finite) domain.values.clear();
}

void unite(ValueSet& into, const ValueSet& other) {
  into.finite = into.finite && other.finite;
  into.values.insert(into.values.end(), other.values.begin(), other.values.end());
  normalise(into);
}

}  // namespace

ValueFlow::ValueFlow(const event::ProgramGraph& graph, const Sources& sources) : cyclic(graph.size(), 0) {
  relation::BitMatrix flow(graph.size());
  for (EventId w = 0; w < graph.size(); ++w) {
    if (graph.events[w].kind != event::EventKind::write) continue;
    for (std::size_t k = 0; k < graph.slots_of(w); ++k) {
      for (const EventId r : graph.exprs.atoms(graph.slot(graph.slot_of(w, k)).value)) {
        if (!graph.events[r].is_read()) continue;
        dependencies.emplace_back(r, w);
        flow.set(r, w);
      }
    }
  }
  if (dependencies.empty()) return;
  for (SlotId r = 0; r < graph.slot_count(); ++r) {
    for (const SlotId w : sources[r]) flow.set(graph.slot(w).event, graph.slot(r).event);
  }
  flow.close();
  for (EventId r = 0; r < graph.size(); ++r) {
    if (!graph.events[r].is_read() || !flow.test(r, r)) continue;
    cyclic[r] = 1;
    any_cyclic = true;
  }
}

Domains::Domains(const event::ProgramGraph& graph, const Sources& sources, const ValueFlow& flow,
                 bool free_cycles, const Deadline& deadline)
    : graph_(graph), sources_(sources), atoms_(graph.slot_count()), memo_(graph.exprs.size()), flow_(flow) {
  propagate(free_cycles, deadline);
}

void Domains::propagate(bool free_cycles, const Deadline& deadline) {
  std::size_t reads = 0;
  for (SlotId s = 0; s < graph_.slot_count(); ++s) {
    const EventId e = graph_.slot(s).event;
    const event::Event& event = graph_.events[e];
    if (!event.is_read()) {
      atoms_[s].values = event.choices;
      normalise(atoms_[s]);
      continue;
    }
    ++reads;
    if (!graph_.exprs.is_true(event.guard))
      atoms_[s].values = {0};  // the value of a read that does not exist
    if (free_cycles && flow_.cyclic[e] != 0) atoms_[s] = ValueSet{false, {}};
  }
  // A round uses the values of the round before, which bounds the chain's length. When the longest chain has
  // been walked, only the news that a set is not finite travels on.
  for (std::size_t round = 0;; ++round) {
    std::fill(memo_.begin(), memo_.end(), std::nullopt);
    std::vector<ValueSet> after = atoms_;
    bool changed = false;
    for (SlotId r = 0; r < graph_.slot_count(); ++r) {
      if (!atoms_[r].finite) continue;
      deadline.check();
      for (const SlotId w : sources_[r]) {
        const ValueSet& stored = of(graph_.slot(w).value);
        if (round < reads || !stored.finite) unite(after[r], stored);
      }
      changed = changed || after[r].finite != atoms_[r].finite || after[r].values != atoms_[r].values;
    }
    if (!changed) return;  // the memo is right for the final sets
    atoms_ = std::move(after);
  }
}

const ValueSet& Domains::of(Expr e) {
  if (!memo_[e.index]) memo_[e.index] = recursion_.deeper([&] { return evaluate(e); });
  return *memo_[e.index];
}

ValueSet Domains::evaluate(Expr e) {
  const Node& node = graph_.exprs[e];
  switch (node.op) {
    case Op::constant:
      return ValueSet{true, {node.constant}};
    case Op::value_of:
      return atoms_[graph_.slot_of(node)];
    case Op::term:
    case Op::opaque:
      return ValueSet{false, {}};
    case Op::final_value:
      return of_final(node.atom);
    default:
      return combine(node);
  }
}

ValueSet Domains::of_final(event::CellId cell) {
  ValueSet result;
  for (const SlotId w : sources_.of_final[cell]) unite(result, of(graph_.slot(w).value));
  return result;
}

ValueSet Domains::combine(const Node& node) {
  const int arity = event::arity(node.op);
  const ValueSet a = of(node.a);
  const ValueSet b = arity > 1 ? of(node.b) : ValueSet{true, {0}};
  const ValueSet c = arity > 2 ? of(node.c) : ValueSet{true, {0}};
  ValueSet result;
  if (node.width == 1 && !(a.finite && b.finite && c.finite)) return ValueSet{true, {0, 1}};
  if (node.op == Op::ite) {
    for (const Value condition : a.values) unite(result, condition != 0 ? b : c);
    return result;
  }
  if (!a.finite || !b.finite || a.values.size() * b.values.size() > kMaxProduct) {
    return node.width == 1 ? ValueSet{true, {0, 1}} : ValueSet{false, {}};
  }
  const event::Width operand_width = graph_.exprs[node.a].width;
  for (const Value x : a.values) {
    for (const Value y : b.values) {
      try {
        result.values.push_back(event::apply(node.op, node.width, operand_width, x, y));
      } catch (const event::Overflow&) {
        // no value: the encoder turns this case into "overflow"
      }
    }
  }
  normalise(result);
  return result;
}

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
#include "check/flag_probe.h"

#include <utility>

namespace ptxmc::check {

namespace {

using relation::Constraint;
using relation::Rel;
using relation::Test;

relation::Signature with_probe(const relation::Signature& signature) {
  std::vector<relation::BaseRow> rows = signature.rows();
  rows.push_back({"probe", relation::Sort::relation, relation::Provider::fixed, "", ""});
  return relation::Signature(std::move(rows));
}

// The pairs whose existence raises the flag; nothing when its absence does.
std::optional<Rel> raising_pairs(relation::Tree& tree, const Constraint& flag) {
  if (!flag.negated) return std::nullopt;
  if (const auto* set = std::get_if<relation::Set>(&flag.expression)) return tree.restrict_to(*set);
  const Rel r = std::get<Rel>(flag.expression);
  switch (flag.test) {
    case Test::empty:
      return r;
    case Test::irreflexive:
      return tree.intersect(r, tree.identity());
    case Test::acyclic:
      return tree.intersect(tree.closure(r), tree.identity());
  }
  return std::nullopt;
}

}  // namespace

FlagProbe::FlagProbe(const engine::Query& query, std::size_t flag)
    : query_(query), signature_(with_probe(query.signature)), model_(query.model) {
  const Constraint asked = query.model.flags.at(flag);
  relation::Tree& tree = model_.tree;
  const std::optional<Rel> pairs = raising_pairs(tree, asked);
  enumerable_ = pairs.has_value();
  if (!enumerable_) return;
  relation_ = *pairs;
  const Rel leaf = tree.base_relation(static_cast<std::uint32_t>(query.signature.rows().size()));
  const Rel either_way = tree.unite(relation_, tree.inverse(relation_));
  model_.flags.clear();
  for (const Rel r :
       {tree.subtract(relation_, leaf), tree.intersect(relation_, leaf), tree.subtract(leaf, either_way)}) {
    Constraint constraint = asked;
    constraint.test = Test::empty;
    constraint.expression = r;
    model_.flags.push_back(constraint);
  }
}

engine::Result FlagProbe::ask(Probe probe, const relation::BitMatrix& pairs, const Solve& solve) const {
  return ask(probe, pairs, query_.graph, query_.base, solve);
}

engine::Result FlagProbe::ask(Probe probe, const relation::BitMatrix& pairs, const event::ProgramGraph& graph,
                              event::BaseValues base, const Solve& solve) const {
  base.sets.resize(signature_.rows().size());
  base.relations.resize(signature_.rows().size());
  base.relations.back() = pairs;
  return solve({graph, base, signature_, model_, engine::Ask::flag, static_cast<std::size_t>(probe),
                query_.budget, 1});
}

PairSet FlagProbe::pairs(const event::Execution& execution) const {
  event::BaseValues base = query_.base;
  base.sets.resize(signature_.rows().size());
  base.relations.resize(signature_.rows().size());
  base.relations.back() = relation::BitMatrix(query_.graph.size());
  NaiveRelations relations({query_.graph, base, signature_, model_, execution, query_.budget});
  return relations.value(relation_);
}

}  // namespace ptxmc::check

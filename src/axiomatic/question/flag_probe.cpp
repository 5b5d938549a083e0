// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/flag_probe.h"

#include <utility>

namespace ptxmc::check {

namespace {

using relation::Constraint;
using relation::Rel;
using relation::Test;

relation::Signature with_probe(const relation::Signature& signature) {
  std::vector<relation::BaseRow> rows = signature.rows();
  for (const char* name : {"probe", "awaited"})
    rows.push_back({name, relation::Sort::relation, relation::Provider::fixed, "", ""});
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

/// What is awaited is read.
void add_awaited(std::uint32_t awaited, const relation::Signature& signature, relation::MemoryModel& model) {
  relation::Tree& tree = model.tree;
  const auto rf = signature.find("rf");
  if (!rf) return;
  const Rel pairs = tree.base_relation(awaited);
  const Rel reads = tree.restrict_to(tree.range(pairs));
  const Rel seen = tree.restrict_to(tree.range(tree.intersect(tree.base_relation(*rf), pairs)));
  Constraint axiom;
  axiom.expression = tree.subtract(reads, seen);
  axiom.name = "awaited";
  model.axioms.push_back(std::move(axiom));
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
  const auto own = static_cast<std::uint32_t>(query.signature.rows().size());
  const Rel leaf = tree.base_relation(own);
  const Rel either_way = tree.unite(relation_, tree.inverse(relation_));
  model_.flags.clear();
  for (const Rel r :
       {tree.subtract(relation_, leaf), tree.intersect(relation_, leaf), tree.subtract(leaf, either_way)}) {
    Constraint constraint = asked;
    constraint.test = Test::empty;
    constraint.expression = r;
    model_.flags.push_back(constraint);
  }
  waiting_ = model_;
  add_awaited(own + 1, query.signature, waiting_);
}

engine::Result FlagProbe::ask(Probe probe, const relation::BitMatrix& pairs, const Solve& solve,
                              std::shared_ptr<engine::ResumeState> course) const {
  return ask(probe, pairs, query_.graph, query_.base, solve, {}, std::move(course));
}

event::BaseValues FlagProbe::with_rows(event::BaseValues base, const relation::BitMatrix& pairs,
                                       const relation::BitMatrix& awaited) const {
  base.sets.resize(signature_.rows().size());
  base.relations.resize(signature_.rows().size());
  base.relations[base.relations.size() - 2] = pairs;
  base.relations.back() = awaited.size() == 0 ? relation::BitMatrix(pairs.size()) : awaited;
  return base;
}

engine::Result FlagProbe::ask(Probe probe, const relation::BitMatrix& pairs, const event::ProgramGraph& graph,
                              event::BaseValues base, const Solve& solve, const relation::BitMatrix& awaited,
                              std::shared_ptr<engine::ResumeState> course) const {
  base = with_rows(std::move(base), pairs, awaited);
  const relation::MemoryModel& model = awaited.size() == 0 ? model_ : waiting_;
  engine::Query query{.graph = graph,
                      .base = base,
                      .signature = signature_,
                      .model = model,
                      .ask = engine::Ask::flag,
                      .flag = static_cast<std::size_t>(probe),
                      .budget = query_.budget,
                      .witnesses = 1};
  query.course = std::move(course);
  return solve(query);
}

PairSet FlagProbe::pairs(const event::Execution& execution) const {
  const event::BaseValues base =
      with_rows(query_.base, relation::BitMatrix(query_.graph.size()), relation::BitMatrix());
  NaiveRelations relations({query_.graph, base, signature_, model_, execution, query_.budget});
  return relations.value(relation_);
}

}  // namespace ptxmc::check

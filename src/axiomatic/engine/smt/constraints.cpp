// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/constraints.h"

#include "support/check.h"

namespace ptxmc::engine::smt {

using event::EventId;
using relation::Rel;
using relation::Set;

namespace {

std::vector<Lit> members(Relations& relations, Set s, std::size_t size) {
  std::vector<Lit> lits;
  for (EventId a = 0; a < size; ++a) lits.push_back(relations.member(s, a));
  return lits;
}

std::vector<Lit> pairs(Relations& relations, Rel r) {
  std::vector<Lit> lits;
  relations.bounds().of(r).may.for_each([&](std::size_t a, std::size_t b) {
    relations.deadline().check();
    lits.push_back(relations.pair(r, static_cast<EventId>(a), static_cast<EventId>(b)));
  });
  return lits;
}

std::vector<Lit> loops(Relations& relations, Rel r, std::size_t size) {
  std::vector<Lit> lits;
  for (EventId a = 0; a < size; ++a) lits.push_back(relations.pair(r, a, a));
  return lits;
}

}  // namespace

std::optional<Rel> acyclic_relation(const relation::Tree& tree, const relation::Constraint& constraint) {
  const Rel* r = std::get_if<Rel>(&constraint.expression);
  if (r == nullptr || constraint.negated || constraint.test == relation::Test::empty) return std::nullopt;
  if (const auto* closure = std::get_if<relation::Closure>(&tree.node(*r))) return closure->a;
  return constraint.test == relation::Test::acyclic ? std::optional<Rel>(*r) : std::nullopt;
}

bool is_normal(const relation::Constraint& constraint) {
  return !constraint.negated || constraint.test != relation::Test::acyclic;
}

relation::Constraint normalised(const relation::Constraint& constraint, relation::Tree& tree) {
  relation::Constraint result = constraint;
  if (is_normal(constraint)) return result;
  result.test = relation::Test::irreflexive;
  result.expression = tree.closure(std::get<Rel>(constraint.expression));
  return result;
}

void require(Relations& relations, const relation::Constraint& constraint, std::size_t size) {
  Cnf& cnf = relations.cnf();
  const Set* set = std::get_if<Set>(&constraint.expression);
  PTXMC_CHECK(set == nullptr || constraint.test == relation::Test::empty,
              "sets are tested for emptiness only");
  if (const auto r = acyclic_relation(relations.tree(), constraint)) {
    relations.require_acyclic(*r);
    return;
  }
  std::vector<Lit> lits;  // what the plain test forbids
  if (set != nullptr) {
    lits = members(relations, *set, size);
  } else {
    const Rel r = std::get<Rel>(constraint.expression);
    PTXMC_CHECK(constraint.test != relation::Test::acyclic, "a cycle is asked for through its closure");
    lits = constraint.test == relation::Test::empty ? pairs(relations, r) : loops(relations, r, size);
  }
  if (constraint.negated) {
    cnf.require_any(std::move(lits));
    return;
  }
  for (const Lit lit : lits) cnf.require(!lit);
}

void require_maximal(Relations& relations, const Query& query, const Program& program) {
  for (event::CellId cell = 0; cell < query.graph.cells.size(); ++cell) {
    const auto& finals = program.finals(cell);
    for (const Program::FinalChoice& last : finals) {
      for (const Program::FinalChoice& other : finals) {
        const Lit after = relations.pair(query.model.coherence, last.write, other.write);
        relations.cnf().require_any({!last.chosen, !after});
      }
    }
  }
}

}  // namespace ptxmc::engine::smt

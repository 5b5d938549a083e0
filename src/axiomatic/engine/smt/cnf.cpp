// SPDX-License-Identifier: Apache-2.0
// Polarity-based clause form (Plaisted and Greenbaum, 1986): a gate that only ever has to be true when it
// occurs positively gets the clauses of that direction alone, which halves the clauses and, above all, leaves
// relations that axioms forbid one-sided. Disjunctions are spliced into the clause they occur in, and a lone
// conjunction in a short clause is distributed, so most gates of the relation encoder never become variables.
#include "axiomatic/engine/smt/cnf.h"

#include <algorithm>

namespace ptxmc::engine::smt {

namespace {

constexpr std::size_t kDistributeRest = 2;  // distribute a conjunction over at most so many other literals
constexpr std::size_t kPairwise = 6;        // at most one of so many: pair by pair
constexpr std::size_t kSpliceLimit = 4096;

}  // namespace

bool Cnf::defined(Lit lit) const {
  return lit.code < defined_.size() && defined_[lit.code] != 0;
}

void Cnf::require_any(std::vector<Lit> clause) {
  add(kFalse, std::move(clause));
  drain();
}

// Adds the clause head | rest after simplification. The head stands for itself (a gate being defined, or
// false); gates in the rest are spliced, distributed, or put on the worklist for their definition.
void Cnf::add(Lit head, std::vector<Lit> clause) {
  std::vector<std::vector<Lit>> open{std::move(clause)};
  while (!open.empty()) {
    std::vector<Lit> next = std::move(open.back());
    open.pop_back();
    add_one(head, std::move(next), open);
  }
}

// What it is distributed into goes to `open`.
void Cnf::add_one(Lit head, std::vector<Lit> clause, std::vector<std::vector<Lit>>& open) {
  const auto open_gate = [&](Lit lit) {
    return lit != head && circuit_.is_gate(lit.node()) && !defined(lit);
  };
  for (std::size_t i = 0; i < clause.size();) {
    const Lit lit = clause[i];
    if (lit.negative() && open_gate(lit) && clause.size() < kSpliceLimit) {
      clause[i] = clause.back();
      clause.pop_back();
      for (const Lit child : circuit_.children(lit.node())) clause.push_back(!child);
    } else {
      ++i;
    }
  }
  clause.push_back(head);
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  if (clause.front() == kTrue) return;
  if (clause.front() == kFalse) clause.erase(clause.begin());
  for (std::size_t i = 0; i + 1 < clause.size(); ++i) {
    if (clause[i].node() == clause[i + 1].node()) return;  // a or not a
  }
  if (clause.size() <= kDistributeRest + 1) {
    for (std::size_t i = 0; i < clause.size(); ++i) {
      const Lit lit = clause[i];
      if (lit.negative() || !open_gate(lit)) continue;
      for (const Lit child : circuit_.children(lit.node())) {
        std::vector<Lit> part;
        for (const Lit other : clause) {
          if (other != lit && other != head) part.push_back(other);
        }
        part.push_back(child);
        open.push_back(std::move(part));
      }
      return;
    }
  }
  for (const Lit lit : clause) {
    if (open_gate(lit)) pending_.push_back(lit);
  }
  circuit_.charge(clause.size() + 1);
  solver_.add_clause(clause);
}

// lit is true only if its gate says so.
void Cnf::define(Lit lit) {
  if (defined(lit)) return;
  if (lit.code >= defined_.size()) defined_.resize(2 * circuit_.nodes(), 0);
  defined_[lit.code] = 1;
  const auto span = circuit_.children(lit.node());
  std::vector<Lit> children(span.begin(), span.end());
  if (lit.negative()) {
    for (Lit& child : children) child = !child;
    add(!lit, std::move(children));
  } else {
    for (const Lit child : children) add(!lit, {child});
  }
}

void Cnf::drain() {
  while (!pending_.empty()) {
    const Lit lit = pending_.back();
    pending_.pop_back();
    define(lit);
  }
}

// Few: pair by pair. Many: sequential counter (Sinz, 2005), linear and propagating.
void Cnf::at_most_one(Circuit& circuit, const std::vector<Lit>& lits) {
  if (lits.size() <= kPairwise) {
    for (std::size_t i = 0; i < lits.size(); ++i) {
      for (std::size_t j = i + 1; j < lits.size(); ++j) require_any({!lits[i], !lits[j]});
    }
    return;
  }
  Lit seen = lits.front();  // one of lits[0..i) holds
  for (std::size_t i = 1; i < lits.size(); ++i) {
    require_any({!seen, !lits[i]});
    if (i + 1 == lits.size()) break;
    const Lit next = circuit.input();
    require_implies(seen, next);
    require_implies(lits[i], next);
    seen = next;
  }
}

}  // namespace ptxmc::engine::smt

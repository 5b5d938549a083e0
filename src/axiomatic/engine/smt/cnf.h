// SPDX-License-Identifier: Apache-2.0
// Cnf: asserts circuit literals as clauses.
#pragma once

#include <vector>

#include "axiomatic/engine/smt/circuit.h"
#include "axiomatic/engine/smt/solver.h"

namespace ptxmc::engine::smt {

class Cnf {
 public:
  Cnf(Circuit& circuit, Z3Solver& solver) : circuit_(circuit), solver_(solver) {}

  void require(Lit lit) { require_any({lit}); }
  void require_any(std::vector<Lit> clause);  ///< the disjunction holds
  void require_implies(Lit a, Lit b) { require_any({!a, b}); }
  void at_most_one(Circuit& circuit, const std::vector<Lit>& lits);

 private:
  void add(Lit head, std::vector<Lit> clause);
  void add_one(Lit head, std::vector<Lit> clause, std::vector<std::vector<Lit>>& open);
  void define(Lit lit);
  bool defined(Lit lit) const;
  void drain();

  Circuit& circuit_;
  Z3Solver& solver_;
  std::vector<char> defined_;  // per literal code: its implications are clauses already
  std::vector<Lit> pending_;
};

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
// Z3Solver: the thin layer over Z3. Clauses over circuit literals in, an assignment of the inputs out. The only
// file pair that knows Z3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "axiomatic/engine/smt/circuit.h"

namespace ptxmc::engine::smt {

enum class Answer : std::uint8_t { satisfiable, unsatisfiable, unknown };

class Z3Solver {
 public:
  /// `steps`: a bound on Z3's resource count, for each check; nothing: none.
  explicit Z3Solver(std::optional<unsigned> steps = std::nullopt);
  ~Z3Solver();
  Z3Solver(const Z3Solver&) = delete;
  Z3Solver& operator=(const Z3Solver&) = delete;

  /// The disjunction of lits holds; lits are no constants.
  void add_clause(std::span<const Lit> lits);
  /// Decides all clauses so far and the assumptions, within `seconds` when given, and until it is to stop.
  Answer check(std::optional<double> seconds, std::span<const Lit> assumptions = {},
               const std::stop_token& stop = {});
  /// After `satisfiable`: value per circuit node, for nodes that occur in clauses; false for the others.
  std::vector<char> model(std::size_t nodes);

  std::size_t clauses() const;
  std::size_t variables() const;

 private:
  struct Z3;
  std::unique_ptr<Z3> z3_;
};

}  // namespace ptxmc::engine::smt

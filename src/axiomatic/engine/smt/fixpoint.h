// SPDX-License-Identifier: Apache-2.0
// FixedPoints: the recursive equations that closures and `let rec` groups leave in the circuit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/engine/smt/cnf.h"

namespace ptxmc::engine::smt {

/// A literal asked for while it is being computed becomes an input, its *cut*, with an equation cut = body.
/// For over-approximations body -> cut suffices: the solver may take any pre-fixed point, the least one among
/// them. Where the value has to be exact, cut -> body is added as well, which leaves non-least fixed points
/// (cycles that justify themselves); these are refuted one by one when they turn up, as loop formulas (Lin
/// and Zhao, 2004). They hardly ever do.
class FixedPoints {
 public:
  FixedPoints(Circuit& circuit, Cnf& cnf) : circuit_(circuit), cnf_(cnf) {}

  using Key = std::pair<std::uint64_t, std::uint64_t>;
  /// Computes the literal of `key` by `body`, cutting recursion. `component` orders equations: lower ones are
  /// complete before higher ones use them; equations of one component may depend on each other.
  template <typename F>
  Lit compute(const Key& key, std::size_t component, bool exact, F&& body) {
    const auto open = open_.find(key);
    if (open != open_.end()) {
      if (!open->second) open->second = circuit_.input();
      return *open->second;
    }
    open_.emplace(key, std::nullopt);
    const Lit value = body();
    const std::optional<Lit> cut = open_.at(key);
    open_.erase(key);
    if (!cut) return value;
    close(*cut, value, component, exact);
    return *cut;
  }

  /// Adds a loop formula for each exact component where the assignment is not the least fixed point. True if
  /// it was.
  bool refute_unfounded(const std::vector<char>& model);
  bool is_open(const Key& key) const { return open_.count(key) != 0; }

 private:
  struct Equation {
    Lit cut, body;
  };
  void close(Lit cut, Lit body, std::size_t component, bool exact);

  Circuit& circuit_;
  Cnf& cnf_;
  std::map<Key, std::optional<Lit>> open_;
  std::map<std::size_t, std::vector<Equation>> exact_;  // per component
};

}  // namespace ptxmc::engine::smt

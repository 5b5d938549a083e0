// SPDX-License-Identifier: Apache-2.0
// What a model allows of the program of a sketch: all its final states, so that every condition on them is decided at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "generate/sketch.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::generate {

/// One final state: what each read returned, thread by thread, then the final value of each location.
using State = std::vector<std::uint8_t>;

/// What a condition says of a state, in the same order; kOpen: nothing.
using Wanted = std::vector<std::uint8_t>;
constexpr std::uint8_t kOpen = 255;
Wanted wanted(const Sketch& sketch);
bool meets(const State& state, const Wanted& wanted);

/// Asks the explicit engine; remembers what it said. Programs whose operations have the same orders, and scopes that include the
/// same threads, are one to it: their accesses are related by 8.7 in the same way.
class Oracle {
 public:
  /// The session outlives it.
  Oracle(const session::Session& session, const Budget& budget) : session_(session), budget_(budget) {}

  /// The states of the sketch's program; its condition does not matter. Throws OutOfTime when the budget is
  /// used up, and where the engine gives up for another reason.
  const std::vector<State>& states(const Sketch& sketch);
  /// Some execution meets the sketch's condition.
  bool allowed(const Sketch& sketch);

  /// Forgets programs of so many operations, and more; smaller ones are parts of many.
  void forget(std::size_t size) { known_.erase(known_.lower_bound(size), known_.end()); }
  std::size_t asked() const { return asked_; }  ///< questions to the engine so far

 private:
  std::vector<State> ask(const Sketch& sketch) const;

  const session::Session& session_;
  const Budget& budget_;
  using Known = std::unordered_map<std::string, std::vector<State>>;  // by program
  std::map<std::size_t, Known> known_;                                // by the number of operations
  std::size_t asked_ = 0;
};

}  // namespace ptxmc::generate

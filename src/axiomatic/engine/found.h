// SPDX-License-Identifier: Apache-2.0
// States whose values rest on terms: how they are told apart, how they print, and whether the answer does.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/terms.h"
#include "axiomatic/event/symbolic_value.h"

namespace ptxmc::engine {

/// One per observable, and whether the proposition holds.
using StateKey = std::pair<std::vector<event::SymbolicValue>, bool>;

struct Found {
  State state;
  struct Asked {
    std::vector<event::Expr> conditions;  ///< of the path, on terms
    /// The truth of the proposition as the path's decisions leave it, before the terms have numbers.
    event::SymbolicValue truth;
  };
  std::vector<Asked> executions;  ///< of each found that has this state, where there are terms
  bool unconditional() const { return !executions.empty() && executions.back().conditions.empty(); }
};

/// Fills in State::symbols and State::names, and makes states that read the same one; where `found` are all states,
/// what Result says of the terms that the answer depends on. False: what states are there, or how they read, was
/// not decided in time.
bool name_states(const Query& query, event::Symbols& symbols, TermSolver& solver,
                 std::map<StateKey, Found>& found, bool all_states, Result& result);

/// Ascending by values, as signed numbers of the observables; those over terms come last.
void sort_states(const event::ProgramGraph& graph, std::vector<State>& states);

}  // namespace ptxmc::engine

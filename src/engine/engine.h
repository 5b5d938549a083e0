// SPDX-License-Identifier: Apache-2.0
// What every engine answers: which states do the consistent executions of a program graph reach?
// explicit/explicit.h and smt/smt.h each offer `Result solve(const Query&)`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "event/base.h"
#include "event/execution.h"
#include "event/program_graph.h"
#include "relation/memory_model.h"

namespace ptxmc::engine {

enum class Ask : std::uint8_t {
  states,   ///< every reachable state (that the filter admits), each with a witness
  verdict,  ///< one decisive state: one that satisfies the proposition (exists, ~exists) or violates it
            ///< (forall); or none
  flag,     ///< one consistent execution (that the filter admits) that raises flag number `flag`; or none
};

struct Query {
  const event::ProgramGraph& graph;
  const event::BaseValues& base;
  const relation::Signature& signature;
  const relation::MemoryModel& model;
  Ask ask = Ask::states;
  std::size_t flag = 0;
  std::optional<double> time_limit;  ///< seconds
  /// How many states get a witness, the first found first; the others' are empty. Witnesses of many states
  /// take memory.
  std::size_t witnesses = ~std::size_t{0};
  /// Seconds without a new state after which the explicit engine gives up (as for `time_limit`).
  std::optional<double> patience = std::nullopt;
};

struct State {
  std::vector<event::Value> values;  ///< one per observable
  bool satisfied = false;            ///< the proposition
  event::Execution witness;
};

struct Result {
  std::vector<State>
      states;  ///< ascending by values (as signed numbers of the observable); Ask::verdict, flag: at most one
  bool complete = true;  ///< false: more states may exist, `unknown` says why
  std::string unknown;   ///< reason, one word with dashes: "timeout", "solver", "value-cycle", "overflow" ...
  std::map<std::string, double>
      statistics;  ///< named counts and times (seconds): "candidates", "solve-seconds" ...
};

}  // namespace ptxmc::engine

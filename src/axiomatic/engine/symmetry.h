// SPDX-License-Identifier: Apache-2.0
// Symmetry: threads that can be exchanged without anybody noticing. An analysis of the program graph, used by
// both engines.
#pragma once

#include <cstdint>
#include <vector>

#include "axiomatic/engine/engine.h"

namespace ptxmc::engine {

/// Threads of one class, each as its events in program order: any permutation of them, event by event, maps
/// candidate executions to candidate executions and keeps every base relation that the query uses, the
/// filter, and (with `proposition`) the proposition.
using Interchangeable = std::vector<std::vector<event::EventId>>;

/// The base ids that what the query asks about depends on.
struct UsedBases {
  std::vector<std::uint32_t> relations;
  std::vector<std::uint32_t> sets;
};

/// A class of interchangeable threads with what a permutation of them does to states and witnesses. Member k
/// of one thread's list corresponds to member k of every other's; observables and decisions in no list stay
/// as they are.
struct ThreadSymmetry {
  Interchangeable events;
  /// per thread: indices into ProgramGraph::observables
  std::vector<std::vector<std::uint32_t>> observables;
  std::vector<std::vector<std::uint32_t>> decisions;  ///< per thread: indices into ProgramGraph::decisions
};

/// Classes whose permutations map states to states (of those that interchangeable_threads finds without
/// proposition).
std::vector<ThreadSymmetry> state_symmetries(const Query& query, const UsedBases& used);

/// Classes of two threads or more. A query that uses an enumerated relation with pairs in it has none.
std::vector<Interchangeable> interchangeable_threads(const Query& query, const UsedBases& used,
                                                     bool proposition);

}  // namespace ptxmc::engine

// SPDX-License-Identifier: Apache-2.0
// The exhaustive reference for tiny programs: every candidate execution is built and judged, nothing is
// pruned.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"

namespace ptxmc::testing {

struct Reference {
  /// values of the observables, and the proposition
  std::set<std::pair<std::vector<event::Value>, bool>> states;
  std::set<std::size_t> flags;     ///< numbers of the flags that some consistent execution raises
  std::set<std::size_t> answered;  ///< numbers of the flags that were looked at
  Races races;  ///< by flags that were looked at and that say `~empty` of a set or relation
  std::size_t candidates = 0;
  bool closed = true;  ///< false: an accepted candidate had values out of thin air, so values may be missing
  std::optional<Failure> failure;  ///< the witness check and the evaluator here disagree about a candidate
};

/// `flag ~empty ...`: it is raised by each pair, or event, that is there.
bool names_pairs(const relation::Constraint& flag);

/// Nothing when the program has more than `limit` candidate executions.
std::optional<Reference> enumerate_all(const Prepared& prepared, const relation::MemoryModel& model,
                                       std::size_t limit);

/// Both engines' states and flags are exactly those of the reference, and the explicit engine's races if that
/// is wanted; no failure when the program is too large.
std::optional<Failure> compare_with_reference(const Prepared& prepared, const relation::MemoryModel& model,
                                              std::size_t limit, bool races, Counts& counts);

}  // namespace ptxmc::testing

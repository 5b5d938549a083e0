// SPDX-License-Identifier: Apache-2.0
// The turns of a run, and what is known of their order.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "dynamic/explore/canonical_trace.h"
#include "dynamic/explore/interleaving_completeness.h"
#include "dynamic/explore/spin_loops.h"

namespace ptxmc::explore {

struct RunTurns : TurnOrder {
  CanonicalTrace signature;
  bool known = false;         // of every location with turns of several threads, and which these are
  bool passes_polls = false;  // trace::Flags

  /// What may change places and make a difference: turns, or blocks of them.
  std::size_t parts() const {
    return blocks.empty() ? turns.size() : std::set<std::size_t>(blocks.begin(), blocks.end()).size();
  }
};
RunTurns turns_of(const Waits::Result& result);

/// Locations at which several threads have turns.
std::set<trace::Address> shared_in(const std::vector<exec::ContendedAccess>& turns);

}  // namespace ptxmc::explore

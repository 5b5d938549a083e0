// SPDX-License-Identifier: Apache-2.0
// Turns at several locations: has every execution of them an order of all, in which the threads take their turns one after
// the other? A run has; whether others may have none, as each of two threads reads what was there before the other's
// write, is seen in the runs.
#pragma once

#include <compare>
#include <cstddef>
#include <set>
#include <vector>

#include "dynamic/exec/run.h"

namespace ptxmc::explore {

/// The turns of a run, in order.
struct TurnOrder {
  std::vector<exec::ContendedAccess> turns;
  /// By turn: earlier ones that come before it in base causality, those at its location also by observation (8.9.5).
  std::vector<std::set<std::size_t>> before;
  /// By turn, the first one of its block (commuting_accesses.h): an order of those of one is as good as another.
  std::vector<std::size_t> blocks;
  bool alike(std::size_t a, std::size_t b) const { return !blocks.empty() && blocks[a] == blocks[b]; }
  /// Whether one comes first makes a difference: two at a location, of which one writes.
  bool conflict(std::size_t a, std::size_t b) const {
    return turns[a].at == turns[b].at && (turns[a].writes || turns[b].writes);
  }
};

/// No execution that begins as this run does gives its next turn a place at its location where no order of all turns has it.
bool all_interleave(const TurnOrder& order);

/// A read, and how many of the writes before it may come after it at their location all the same, from this
/// one on: nothing orders them before it, as far as turns tell, nor is there a fence.sc that might.
struct OlderRead {
  std::size_t read = 0, passes = 0, write = 0;
  friend auto operator<=>(const OlderRead&, const OlderRead&) = default;
};
std::set<OlderRead> older_reads(const TurnOrder& order);

}  // namespace ptxmc::explore

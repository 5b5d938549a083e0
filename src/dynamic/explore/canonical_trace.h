// SPDX-License-Identifier: Apache-2.0
// What tells one order of turns from another: which come first at each location.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <vector>

#include "dynamic/exec/run.h"

namespace ptxmc::explore {

/// Turns at one location that may change places: a write, or reads between two writes.
struct TurnBlock {
  bool writes = false;
  std::vector<trace::Thread> threads;  // in order
  friend auto operator<=>(const TurnBlock&, const TurnBlock&) = default;
};
/// The turns at each location: what tells two runs apart.
using CanonicalTrace = std::map<trace::Address, std::vector<TurnBlock>>;

/// `of`: blocks of turns whose order makes no difference (commuting_accesses.h), by turn; nothing: each is one of its own.
CanonicalTrace canonical_trace_of(const std::vector<exec::ContendedAccess>& turns,
                                  const std::vector<std::size_t>& of = {});

/// The turns at each location begin so, in some order of those that may change places.
bool begins_with(const CanonicalTrace& whole, const std::vector<exec::ContendedAccess>& part);

}  // namespace ptxmc::explore

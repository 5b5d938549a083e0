// SPDX-License-Identifier: Apache-2.0
// What tells one order of turns from another: which come first at each location.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <vector>

#include "kernel/run.h"

namespace ptxmc::session {

/// Turns at one location that may change places: a write, or reads between two writes.
struct TurnBlock {
  bool writes = false;
  std::vector<trace::Thread> threads;  // in order
  friend auto operator<=>(const TurnBlock&, const TurnBlock&) = default;
};
/// The turns at each location: what tells two runs apart.
using Signature = std::map<trace::Address, std::vector<TurnBlock>>;

/// `of`: blocks of turns whose order makes no difference (turn_blocks.h), by turn; nothing: each is one of its own.
Signature signature_of(const std::vector<kernel::Turn>& turns, const std::vector<std::size_t>& of = {});

/// The turns at each location begin so, in some order of those that may change places.
bool begins_with(const Signature& whole, const std::vector<kernel::Turn>& part);

}  // namespace ptxmc::session

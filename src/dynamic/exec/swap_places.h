// SPDX-License-Identifier: Apache-2.0
// Where swaps are tried, and which atomics there count by their place in the order of the location.
#pragma once

#include <optional>
#include <set>

#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

struct Options;
struct Outcome;

/// Swaps write or not by what is there, so that the place of an atomic among them counts, be its result used or not. That a swap has
/// written there is enough, in a program that heeds any order (Code::heeds_order), for what is not found. What is found is looked at
/// again, with the places of all atomics where swaps are tried (Detail::swaps). A swap in a loop that waits is tried until it writes.
class SwapPlaces {
 public:
  void start(const Options& options, const std::vector<Code>& codes);
  /// An atomic comes there, which writes or is a swap that fails: does its place count?
  bool counts(const Step& step, LaneMask mask, const Row& at, bool writes);
  void tell(Outcome& outcome) const;

 private:
  bool heeds_order_ = true;
  bool all_ = false;           // all places count where swaps are tried
  bool left_out_ = false;      // some that did not count would, then
  std::set<Address> tried_;    // by swaps
  std::set<Address> written_;  // by swaps
};

}  // namespace ptxmc::exec

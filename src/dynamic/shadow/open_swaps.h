// SPDX-License-Identifier: Apache-2.0
// Swaps that fail, and may succeed for other contents or in another order: which of them decide something where they do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "dynamic/order/events.h"

namespace ptxmc::trace {

class OpenSwaps {
 public:
  void add(Address at, Site site) { at_[at].insert(site); }
  /// What makes one of the instruction succeed where it fails here.
  void may_write(Site site, OpenSwap by) {
    OpenSwap& known = by_[site];
    known = std::max(known, by);
  }
  /// Those of the instruction would race if they wrote (Kind::if_it_writes).
  void note_race(Site site) { racing_.insert(site); }
  /// Instructions that may write, and then race, or write what loops wait for: what they poll, by address.
  std::map<Site, OpenSwap> deciding(const std::map<Address, std::uint8_t>& polled) const {
    std::set<Site> counted = racing_;
    for (const auto& [at, sites] : at_) {
      if (polled.contains(at)) counted.insert(sites.begin(), sites.end());
    }
    std::map<Site, OpenSwap> out = by_;
    std::erase_if(out, [&](const auto& one) { return !counted.contains(one.first); });
    return out;
  }

 private:
  std::map<Address, std::set<Site>> at_;  // instructions by location
  std::map<Site, OpenSwap> by_;
  std::set<Site> racing_;
};

}  // namespace ptxmc::trace

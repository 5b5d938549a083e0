// SPDX-License-Identifier: Apache-2.0
// Swaps that fail, and may succeed for other contents: which of them decide something where they do.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "dynamic/order/events.h"

namespace ptxmc::trace {

class OpenSwaps {
 public:
  void add(Address at, Site site) { at_[at].insert(site); }
  /// Those of the instruction would race if they wrote (Kind::if_it_writes).
  void note_race(Site site) { racing_.insert(site); }
  /// Instructions that race if they write, or write what loops wait for: what they poll, by address.
  std::set<Site> deciding(const std::map<Address, std::uint8_t>& polled) const {
    std::set<Site> out = racing_;
    for (const auto& [at, sites] : at_) {
      if (polled.contains(at)) out.insert(sites.begin(), sites.end());
    }
    return out;
  }

 private:
  std::map<Address, std::set<Site>> at_;  // instructions by location
  std::set<Site> racing_;
};

}  // namespace ptxmc::trace

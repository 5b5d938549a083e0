// SPDX-License-Identifier: Apache-2.0
// Fences that count for some accesses alone, as events: the newest of each warp. A fence that a thread knows of comes before what the
// thread does, and after all that its lane knew there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "dynamic/order/threads.h"

namespace ptxmc::trace {

/// Fences that are kept of one warp; without the older ones less is ordered.
constexpr std::size_t kFencesKept = 64;

template <typename Fence>
void keep(std::deque<Fence>& fences, Fence fence) {
  fences.push_front(std::move(fence));
  if (fences.size() > kFencesKept) fences.pop_back();
}

class FenceEvents {
 public:
  void add(Snapshot fence) {
    std::deque<Snapshot>& fences = by_warp_[fence.lanes.warp];
    keep(fences, std::move(fence));
  }
  /// Calls act with each fence and those of its lanes that are known: `known` tells which. A lane's newest fence comes after its
  /// older ones. Ends when act gives true, and gives that.
  template <typename Known, typename Act>
  bool any_known(Known&& known, Act&& act) const {
    for (const auto& [warp, fences] : by_warp_) {
      std::uint32_t done = 0;
      for (const Snapshot& fence : fences) {
        const std::uint32_t lanes = known(fence) & ~done;
        if (lanes != 0 && act(fence, lanes)) return true;
        done |= lanes;
      }
    }
    return false;
  }
  /// Fences that the thread knows of, along the plane, come after the epoch.
  bool precede(Thread thread, OrderKind plane, const Threads& threads, Epoch epoch) const {
    return any_known([&](const Snapshot& fence) { return threads.known(thread, fence, plane); },
                     [&](const Snapshot& fence, std::uint32_t lanes) {
                       fence.close(lanes, epoch);
                       return epoch.mask == 0;
                     });
  }

 private:
  std::map<std::uint32_t, std::deque<Snapshot>> by_warp_;  // the newest first
};

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
// Fences with .sync_restrict (9.7.12.4): fence.release.sync_restrict::shared::cta orders accesses of the shared memory of its CTA,
// fence.acquire.sync_restrict::shared::cluster those of the shared memory of its cluster. A release is an event, whose time
// OrderKind::restricted holds for the threads that take it; what such an acquire takes is known along OrderKind::shared.
#pragma once

#include <cstdint>
#include <map>

#include "dynamic/order/fence_events.h"
#include "dynamic/order/shared_windows.h"
#include "dynamic/order/threads.h"

namespace ptxmc::trace {

class RestrictedFences {
 public:
  /// `cumulate`: Readings::restricted_fences_cumulate
  RestrictedFences(Threads& threads, const SharedWindows& windows, bool cumulate)
      : threads_(threads), windows_(windows), cumulate_(cumulate) {}

  /// Some fence was executed: until then nothing is ordered by them.
  bool any() const { return any_; }
  void acquire() { any_ = true; }
  /// An event of the lanes, at Threads::stamp.
  void release(Lanes lanes);
  /// Along a path with such fences the epoch comes before what the thread does at the address now.
  bool precedes(const Epoch& epoch, Thread thread, Address at) const;

 private:
  ClockRef known_at(const Clock& clock, std::uint32_t cta) const;

  Threads& threads_;
  const SharedWindows& windows_;
  bool cumulate_ = true;
  bool any_ = false;
  /// By CTA. Their base plane: all that they come after, for accesses of the CTA's shared memory.
  std::map<std::uint32_t, FenceEvents> releases_;
};

}  // namespace ptxmc::trace

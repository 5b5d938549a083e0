// SPDX-License-Identifier: Apache-2.0
// The threads of a run: where they are, what each knows, what time it is for each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/clock.h"

namespace ptxmc::trace {

/// Each scope includes the other's thread (8.7).
bool include_each_other(isa::Scope a, const Placement& at, isa::Scope b, const Placement& other);

class Threads {
 public:
  void start(std::span<const Placement> warps);

  const Placement& place(Thread thread) const { return places_[thread / kLanes]; }
  const Placement& place_of_warp(std::uint32_t warp) const { return places_[warp]; }
  std::size_t warps() const { return places_.size(); }
  Time time(std::uint32_t warp) const { return times_[warp]; }
  /// What the warp does from here on is not what it releases now.
  void tick(std::uint32_t warp) { ++times_[warp]; }

  const ClockRef& clock(Thread thread) const { return clocks_[thread]; }
  const Own& own(Thread thread) const { return own_[thread]; }
  Snapshot snapshot(Thread thread) const {
    return {clocks_[thread], thread, times_[thread / kLanes], own_[thread]};
  }

  /// The epoch is over for the thread, along the plane.
  bool knows(Thread thread, Plane plane, const Epoch& epoch) const;
  Time phases(Thread thread, ObjectId object) const;

  void learn(Thread thread, const ClockRef& clock);
  void learn(Lanes lanes, const ClockRef& clock);
  void learn_phases(Thread thread, ObjectId object, Time phases);
  void learn_done(Thread thread, Agent agent, Time time);
  /// A fence of a proxy: what is known along `from` is, from here on, known along `plane`.
  void cross(Lanes lanes, Plane plane, Plane from = Plane::base);
  /// Everything that was done, along all planes: what a task knows that starts behind it (R232).
  void start_task(std::uint32_t task, std::span<const Time> phases, std::span<const Own> done);

 private:
  std::vector<Placement> places_;  // by warp
  std::vector<Time> times_;        // by warp
  std::vector<ClockRef> clocks_;   // by thread
  std::vector<Own> own_;           // by thread
};

}  // namespace ptxmc::trace

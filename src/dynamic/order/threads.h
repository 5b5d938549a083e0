// SPDX-License-Identifier: Apache-2.0
// The threads of a run: where they are, what each knows, what time it is for each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dynamic/order/clock.h"
#include "dynamic/order/tensor_knowledge.h"

namespace ptxmc::trace {

/// Each scope includes the other's thread (8.7).
bool include_each_other(isa::Scope a, const Placement& at, isa::Scope b, const Placement& other);

class Threads {
 public:
  void start(std::span<const Placement> warps);

  const Placement& place(Thread thread) const { return places_[thread / kLanes]; }
  const Placement& place_of_warp(std::uint32_t warp) const { return places_[warp]; }
  std::size_t warps() const { return warps_; }
  bool one_cta() const { return one_cta_; }
  bool one_cluster() const { return one_cluster_; }
  /// The time of what the warp does now.
  Time stamp(std::uint32_t warp) { return used_[warp] = times_[warp]; }
  /// What the warp does from here on is not what it releases now.
  void tick(std::uint32_t warp) {
    if (used_[warp] == times_[warp]) ++times_[warp];
  }

  const ClockRef& clock(Thread thread) const { return clocks_[thread]; }
  const Own& own(Thread thread) const { return own_[thread]; }
  /// Another number when a thread may have learnt something.
  std::uint64_t version() const { return version_; }
  void changed() { ++version_; }
  Snapshot snapshot(Thread thread) const {
    const std::uint32_t warp = thread / kLanes;
    const bool before = elements_ && elements_->warp == warp;
    return {clocks_[thread], lane_of(thread), before ? elements_->before : used_[warp], own_[thread]};
  }

  /// What the warp does until the end are the elements of vectors, which are in no order (8.2.4): what one of them acquires,
  /// the others do not know, and none of them releases another.
  void begin_elements(std::uint32_t warp) {
    tick(warp);
    elements_ = Elements{warp, used_[warp], {}};
  }
  void end_elements();
  /// The snapshots of all the lanes: one for those that know the same.
  void add_snapshots(Lanes lanes, std::vector<Snapshot>& out) const;
  /// An event of a time of its own, and what the lanes know there.
  std::vector<Snapshot> mark(Lanes lanes);
  /// The lanes of such an event that the thread knows of, along the plane.
  std::uint32_t known(Thread thread, const Snapshot& event, OrderKind plane) const;

  /// What starts at another moment than the instruction that issued it has a thread of its own, which knows what the
  /// warp knew then. Its warp: beside those of the run.
  std::uint32_t starter(std::uint32_t warp);
  bool has_starter(std::uint32_t warp) const { return starter_of_[warp] != 0; }
  /// The starter of the lanes' warp knows from here on what each of them knows now.
  void start_here(Lanes lanes);
  /// The thread of the run that an operation of this one is of.
  Thread issuer(Thread thread) const {
    return thread < warps_ * kLanes ? thread : starters_[thread / kLanes - warps_] * kLanes + thread % kLanes;
  }

  /// The knowledge of tensor memory, apart from what clocks hold.
  TensorKnowledge& tensor() { return tensor_; }
  const TensorKnowledge& tensor() const { return tensor_; }
  /// fence::after_thread_sync: from here on what they know of tensor memory holds for what they issue.
  void fence_tensor(Lanes lanes);

  /// The epoch is over for the thread, along the plane.
  bool knows(Thread thread, OrderKind plane, const Epoch& epoch) const;
  /// The phases of the object that are over when the thread goes on from here, in all schedules.
  Time phases(Thread thread, ObjectId object) const;

  void learn(Thread thread, const ClockRef& clock) { learn(lane_of(thread), clock); }
  void learn(Lanes lanes, const ClockRef& clock);
  /// They have met: the clock is all that they know, of themselves too.
  void meet(Lanes lanes, const ClockRef& clock);
  /// Nothing that one of the lanes did or knows is unknown to the others along the plane.
  bool agree(Lanes lanes, OrderKind plane) const;
  /// They know the same of other warps.
  bool share_clock(Lanes lanes) const;
  void learn_execution(Lanes lanes, ObjectId object, Time phases);
  void learn_done(Thread thread, Agent agent, Time time);
  /// A fence of a proxy: what is known along `from` is, from here on, known along `plane`.
  void cross(Lanes lanes, OrderKind plane, OrderKind from = OrderKind::base);
  /// fence.mbarrier_init: inits of the lanes before it are visible after synchronization of any strength
  /// (R185, D24).
  void release_inits(Lanes lanes);
  /// What synchronization of any strength and scope tells: which phases are over. Null: nothing.
  ClockRef told_by_execution(Lanes lanes) const;
  /// What synchronization of any strength tells within its scope: of these inits. Null: nothing.
  ClockRef told_inits(Lanes lanes) const;
  /// All that the tasks did and knew, along all planes: what is known after their ends (R232); or along
  /// OrderKind::ended alone, if nothing waited for that.
  void learn_tasks(Lanes lanes, std::span<const std::uint32_t> tasks, std::span<const Time> phases,
                   std::span<const Own> done, bool waited);

 private:
  struct Elements {
    std::uint32_t warp = 0;
    Time before = 0;                                 // what the warp did before them
    std::vector<std::pair<Lanes, ClockRef>> learnt;  // by them
  };

  std::optional<Elements> elements_;
  TensorKnowledge tensor_;
  std::uint64_t version_ = 0;
  std::size_t warps_ = 0;
  bool one_cta_ = true, one_cluster_ = true;
  std::vector<std::uint32_t> starters_;    // the warp that each is of
  std::vector<std::uint32_t> starter_of_;  // by warp; 0: none
  std::vector<Placement> places_;          // by warp
  std::vector<Time> times_;                // by warp: of what it does next
  std::vector<Time> used_;                 // by warp: of what it did last
  std::vector<ClockRef> clocks_;           // by thread
  std::vector<Own> own_;                   // by thread
  std::vector<std::uint32_t> aware_;       // by warp: lanes whose Own may say something
};

}  // namespace ptxmc::trace

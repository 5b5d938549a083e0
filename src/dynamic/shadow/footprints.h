// SPDX-License-Identifier: Apache-2.0
// Which bytes of global memory each CTA accesses, by instruction: what its threads do to those of other CTAs, without orders.
#pragma once

#include <map>
#include <vector>

#include "dynamic/order/events.h"
#include "dynamic/order/intervals.h"

namespace ptxmc::trace {

enum class Touch : std::uint8_t {
  read,
  write,
  strong
};  // strong: atomics and accesses with a scope, of any effect

/// What one instruction does in one CTA.
struct Touched {
  Site site = 0;
  Touch touch = Touch::read;
  friend auto operator<=>(const Touched&, const Touched&) = default;
};

class Footprints final : public Observer {
 public:
  /// At the end the intervals are ascending, and neither overlap nor touch.
  using OfCta = std::map<Touched, Intervals>;
  /// By CTA of the run.
  const std::vector<OfCta>& ctas() const { return ctas_; }
  /// By CTA: what its warps execute of accesses and synchronization, in their order, with the places of shared memory, objects,
  /// barriers and counts, and of other memory how far apart the places are that an instruction accesses. CTAs of one class do
  /// the same but for where in global memory each instruction begins.
  const std::vector<std::uint64_t>& classes() const { return classes_; }
  /// Too many intervals to keep them.
  bool overflowed() const { return overflowed_; }

  void start(std::span<const Placement> warps) override;
  void shared_memory(std::uint32_t cta, Range window) override;
  void access(const Access& access) override;
  void issue(const Operation& operation) override;
  void finish() override;

  void fence(Site site, Lanes lanes, Strength, isa::Space) override { note(site, lanes); }
  void proxy_fence(const ProxyFence& fence) override { note(fence.site, fence.lanes); }
  void warp_sync(Site site, Lanes lanes) override { note(site, lanes); }
  void exchange(Site site, Lanes lanes) override { note(site, lanes); }
  void barrier_arrive(Site site, Lanes lanes, Barrier barrier, Phase phase) override {
    note(site, lanes);
    note(lanes.warp, barrier.id);
    note(lanes.warp, phase);
  }
  void barrier_leave(Site, Lanes, Barrier, Phase) override {}
  void cluster_arrive(Site site, Lanes lanes, Barrier, Phase, isa::Semantics) override { note(site, lanes); }
  void cluster_leave(Site, Lanes, Barrier, Phase, isa::Semantics) override {}
  void mbarrier_init(Site site, Thread thread, Address object, std::uint32_t count) override {
    note(site, lane_of(thread));
    note_shared(thread / kLanes, object);
    note(thread / kLanes, count);
  }
  void mbarrier_invalidate(Site site, Thread thread, Address object) override {
    note(site, lane_of(thread));
    note_shared(thread / kLanes, object);
  }
  void mbarrier_arrive(const Arrival& arrival) override { note(arrival); }
  void mbarrier_complete(Address, Phase) override {}
  void mbarrier_wait(const Wait& wait) override;
  void mbarrier_init_fence(Site site, Lanes lanes) override { note(site, lanes); }
  void commit_group(Site site, Thread thread, Tracking) override { note(site, lane_of(thread)); }
  void wait_group(Site site, Thread thread, Tracking, std::uint32_t pending, bool) override {
    note(site, lane_of(thread));
    note(thread / kLanes, pending);
  }
  void cp_async_arrive(const Arrival& arrival) override { note(arrival); }
  void tensor_issue(const TensorOperation& operation) override;
  void tensor_wait(Site site, Lanes lanes, bool) override { note(site, lanes); }
  void tensor_fence(Site site, Lanes lanes, bool) override { note(site, lanes); }
  void tensor_commit(const Arrival& arrival, const TensorCommit&) override { note(arrival); }
  void exit(Site site, Lanes lanes) override { note(site, lanes); }

 private:
  void note(Site site, Lanes lanes);
  void note(std::uint32_t warp, std::uint64_t value);
  void note(const Arrival& arrival);
  void note_shared(std::uint32_t warp, Address at);
  void note_address(std::uint32_t warp, Site site, Address at);
  void note_ranges(const Operation& operation, std::uint32_t warp);
  void add(std::uint32_t warp, const Touched& touched, Interval bytes);
  bool is_global(Address at) const;

  std::vector<OfCta> ctas_;
  std::vector<std::uint32_t> cta_of_;  // by warp
  std::vector<std::uint64_t> traces_;  // by warp
  std::vector<std::uint64_t> classes_;
  std::vector<Address> windows_of_;  // of shared memory, by CTA
  // by CTA: what an instruction accessed first, outside of shared memory
  std::vector<std::map<Site, Address>> first_;
  Interval windows_{~Address{0}, 0};  // of shared memory, all of them
  bool overflowed_ = false;
};

}  // namespace ptxmc::trace

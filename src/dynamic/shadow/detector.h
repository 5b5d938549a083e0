// SPDX-License-Identifier: Apache-2.0
// The detector: takes the events of one run and finds what is unordered in some schedule with the same synchronization.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "dynamic/await/awaits.h"
#include "dynamic/await/flags.h"
#include "dynamic/order/barriers.h"
#include "dynamic/order/events.h"
#include "dynamic/order/groups.h"
#include "dynamic/order/readings.h"
#include "dynamic/shadow/commits.h"
#include "dynamic/shadow/launches.h"
#include "dynamic/shadow/memory.h"
#include "dynamic/shadow/proxy_fences.h"
#include "dynamic/shadow/shared_memory_lifetime.h"
#include "dynamic/shadow/tensor.h"
#include "dynamic/shadow/values.h"
#include "dynamic/shadow/warpgroups.h"

namespace ptxmc::trace {

struct Options {
  bool all_pairs = false;  // every racing pair; else one for each cell, which tells as well that there is one
  /// Some fence of the program may order accesses of one state space alone (.sync_restrict).
  bool fences_of_spaces = true;
  /// Values that are written are compared, and nothing is hidden by writes of equal ones. Without: two that are said to be
  /// equal may differ, and what one of them took the place of may race with the other.
  bool exact_values = false;
  /// What loops polled in an earlier run, and what they take. Without: a loop takes what it reads.
  FlagMap flags = {};
  const TakenMap* taken = nullptr;
  /// Locations whose writes, and whose reads that count (Access::contends), are in the run's order, which is given.
  std::set<Address> turns = {};
  Readings readings = {};
  /// Every atomic and strong read observes what it reads, though control does not rest on it: what orders this execution, and
  /// not all that have its synchronization.
  bool this_execution = false;
};

class Detector : public Observer {
 public:
  explicit Detector(const Options& options = {});
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;
  ~Detector() override;  // in detector.cpp: no other file compiles those of all parts

  void start(std::span<const Placement> warps) override;
  void shared_memory(std::uint32_t cta, Range window) override { windows_.add(cta, window); }

  void start_behind(Lanes lanes, std::span<const std::uint32_t> tasks) override {
    learn_tasks(lanes, tasks, true);
  }
  void start_after_end(Lanes lanes, std::span<const std::uint32_t> tasks) override {
    learn_tasks(lanes, tasks, false);
  }
  void launch_dependents(Site, Lanes lanes) override {
    if (readings_.launches_release) for_threads(lanes, [&](Thread thread) { launches_.add(thread); });
  }
  void start_early(Lanes lanes, std::span<const std::uint32_t> tasks) override {
    for (const std::uint32_t task : tasks) threads_.learn(lanes, launches_.known(task));
  }
  void grid_wait(Site, Lanes lanes, std::span<const std::uint32_t> tasks) override {
    learn_tasks(lanes, tasks, true);
  }

  bool has_unsettled() const override { return !memory_.unsettled().empty(); }
  bool is_unsettled(Range range) const override { return memory_.unsettled().any(range); }
  bool begins_unsettled(Range range) const override { return memory_.unsettled().begins(range); }
  void decides_by_unsettled(Range range) override;
  void access(const Access& access) override;
  void follow(Paths& paths) override { memory_.follow(paths); }
  void fence(Site site, Lanes lanes, Strength strength, isa::Space memory) override;
  void proxy_fence(const ProxyFence& fence) override;

  void warp_sync(Site, Lanes lanes) override {
    barriers_.warp(lanes);
    awaits_.meet(lanes);
  }
  void exchange(Site, Lanes lanes) override {
    barriers_.exchange(lanes);
    awaits_.meet(lanes);
  }
  void barrier_arrive(Site site, Lanes lanes, Barrier barrier, Phase phase) override {
    barriers_.arrive(site, lanes, barrier, phase);
    awaits_.arrive(lanes, barrier, false);
  }
  void barrier_leave(Site, Lanes lanes, Barrier barrier, Phase phase) override {
    barriers_.leave(lanes, barrier, phase);
    awaits_.leave(lanes, barrier, false);
  }
  void cluster_arrive(Site site, Lanes lanes, Barrier barrier, Phase phase,
                      isa::Semantics semantics) override {
    barriers_.cluster_arrive(site, lanes, barrier, phase, semantics);
    awaits_.arrive(lanes, barrier, true);
  }
  void cluster_leave(Site site, Lanes lanes, Barrier barrier, Phase phase,
                     isa::Semantics semantics) override {
    barriers_.cluster_leave(site, lanes, barrier, phase, semantics);
    awaits_.leave(lanes, barrier, true);
  }
  void exit_awaited(Lanes lanes, std::span<const Lanes> exited) override {
    barriers_.execute_behind(lanes, exited);
    awaits_.learn(lanes, exited);
  }

  void mbarrier_init(Site site, Thread thread, Address object, std::uint32_t count) override;
  void mbarrier_invalidate(Site site, Thread thread, Address object) override;
  void mbarrier_arrive(const Arrival& arrival) override {
    adopt(arrival.site, arrival.thread, arrival.object);
    visit_object(arrival.site, arrival.thread, arrival.object);
    objects_.arrive(arrival);
    awaits_.publish(arrival.thread, arrival.object);
  }
  void mbarrier_complete(Address object, Phase phase) override { objects_.complete(object, phase); }
  void mbarrier_slip(Address object, Phase phase) override { objects_.slip(object, phase); }
  void mbarrier_wait(const Wait& wait) override;
  Phase awaited_phase(const Wait& wait, Thread thread) const override {
    return objects_.awaited(wait, thread);
  }
  void mbarrier_init_fence(Site, Lanes lanes) override {
    objects_.publish(lanes);
    threads_.release_inits(lanes);
  }

  void issue(const Operation& operation) override;
  void commit_group(Site, Thread thread, Tracking tracking) override { groups_.commit(thread, tracking); }
  void wait_group(Site site, Thread thread, Tracking tracking, std::uint32_t pending,
                  bool reads_only) override {
    for (const MessageRef& read : groups_.wait(thread, tracking, pending, reads_only))
      release_sequences_.observe_completed(site, thread, read);
  }
  void cp_async_arrive(const Arrival& arrival) override {
    adopt(arrival.site, arrival.thread, arrival.object);
    objects_.arrive_behind(arrival, groups_.told(arrival.thread, Tracking::cp_async));
    awaits_.publish(arrival.thread, arrival.object);
  }

  void registers_set(Site site, Lanes lanes) override { warpgroups_.set_registers(site, lanes); }
  void wgmma_fence(Site, Lanes lanes) override { warpgroups_.fence(lanes); }
  void wgmma_commit(Site, Lanes lanes) override { warpgroups_.commit(lanes); }
  void wgmma_wait(Site, Lanes lanes, std::uint32_t pending) override { warpgroups_.wait(lanes, pending); }

  void tensor_issue(const TensorOperation& operation) override { tensor_.issue(operation); }
  void tensor_wait(Site, Lanes lanes, bool stores) override {
    tensor_.wait(lanes, stores);
    barriers_.execute(lanes);
    awaits_.meet(lanes);
  }
  void tensor_fence(Site, Lanes lanes, bool after) override { tensor_.fence(lanes, after); }
  void tensor_commit(const Arrival& arrival, const TensorCommit& commit) override;

  void exit(Site site, Lanes lanes) override { lifetime_.exit(site, lanes); }

  void await_left(const Await& await) override { awaits_.left(await); }
  void awaited_gone(const Await& await, Site site, Thread thread, Range bytes) override {
    awaits_.gone(await, {site, thread, Effect::write}, bytes);
  }
  void awaited_back(const Await& await) override { awaits_.back(await); }
  void finish() override { awaits_.finish(); }

  const std::vector<Finding>& findings() const { return findings_.all(); }
  /// The bytes that loops polled, by their address, until they were left.
  const std::map<Address, std::uint8_t>& polled() const { return polled_; }
  /// The same of atomics whose results may decide control, as long as there are few; and of other strong reads.
  const std::map<Address, std::uint8_t>& contended() const { return contended_; }
  const std::map<Address, std::uint8_t>& decided_by() const { return decided_by_; }
  /// The accesses of these bytes are in one order in all schedules with the synchronization of this run, if none races.
  bool is_ordered(Range range) const { return memory_.is_ordered(range); }
  std::map<Site, OpenSwap> deciding_swaps() const override { return memory_.swaps().deciding(polled_); }
  const LeftOpen& left_open() const { return memory_.left_open(); }
  /// The answer for Options::flags.
  Flags::Answer flags() const { return flags_.answer(); }
  std::optional<std::vector<std::vector<bool>>> before(Address at) const { return flags_.before(at); }
  std::optional<std::size_t> turns_at(Address at) const { return flags_.turns_at(at); }
  bool passes_polls() const { return flags_.passes_polls(); }
  std::optional<std::vector<Flags::Numbered>> numbered(Address at) const { return flags_.numbered(at); }

 private:
  void learn_tasks(Lanes lanes, std::span<const std::uint32_t> tasks, bool waited);
  void cross_async(Lanes lanes, isa::Space space);
  std::uint32_t written_by(const Access& access, unsigned lane);
  void touch_lanes(const Access& access, const ShadowAccess& mark);
  struct Lane {
    unsigned lane = 0;
    Thread thread = 0;
    Range range;
    unsigned element = 0;
    std::size_t read = 0;  // of Flags
  };
  void note_open_swap(const Access& access, Kind& kind);
  void touch_elements(const Access& access, Strength strength, const Kind& kind, const ShadowAccess& mark);
  void tell_elements(const Access& access);
  void touch_turn(Range range, const ShadowAccess& mark);
  void touch_strong(const Access& access, Strength strength, const Lane& at, ShadowAccess mark);
  void touch_older(const Access& access, Strength strength, const Lane& at, const ShadowAccess& mark);
  bool touch_flag(const Access& access, Strength strength, const Lane& at, const ShadowAccess& mark);
  void touch_beside(const Access& access, const Lane& at, const ShadowAccess& mark);
  void write_flags(const Access& access, unsigned lane);
  void write_flag(const Access& access, Strength strength, const Lane& at, Flags::Known before);
  void visit_object(Site site, Thread thread, Address object);
  void adopt(Site site, Thread thread, Address object);
  void touch_object(Site site, Thread thread, Address object, std::uint32_t written);
  Strength strength_of(const Operation& operation, Effect effect) const;
  void note_reads(const Operation& operation, Time issued);
  Kind kind_of(const Operation& operation, std::span<const Range> ranges, Effect effect) const;
  void touch_copy(const Operation& operation, std::span<const Range> ranges, Effect effect, Time issued);

  Readings readings_;
  bool this_execution_ = false;  // Options::this_execution
  std::set<Address> turns_;      // Options::turns
  Findings findings_;
  Awaits awaits_;
  Threads threads_;
  SharedWindows windows_;
  RestrictedFences restricted_fences_;
  ProxyFences proxy_fences_;
  Kinds kinds_;
  Values values_;
  ReleaseSequences release_sequences_;
  Launches launches_;
  ExecutionKnowledge knowledge_;
  Flags flags_;
  std::map<Address, std::uint8_t> polled_, contended_, decided_by_;
  Objects objects_;
  Barriers barriers_;
  Groups groups_;
  Warpgroups warpgroups_;
  SharedMemoryLifetime lifetime_;
  Commits commits_;
  Memory memory_;
  std::optional<ObjectId> never_;  // the agent of operations of which nothing tells that they are over
  Tensor tensor_;
};

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
// What a run did around the accesses of its findings: all its synchronization, its strong accesses, and the accesses to
// the bytes in question, of one finding or of several; an entry a thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::extract {

/// One element that a thread read or wrote.
struct MemoryAccess {
  trace::Effect effect = trace::Effect::read;
  isa::Proxy proxy = isa::Proxy::generic;
  trace::Strength strength;
  trace::Range bytes;
  bool decides = true;                                // trace::Access::decides
  bool polls = false;                                 // a read in a loop that waits
  std::optional<std::uint64_t> value = std::nullopt;  // that it wrote, if that rests on ids and parameters
  /// Which strong write of its location this is, from 1; for a read that passes some (Access::passing), which
  /// one is the last of the others.
  std::uint64_t number = 0;
  bool passes = false;
  /// Which element of a strong access of several this is, and of how many. They are in no order (8.2.4).
  unsigned element = 0, elements = 1;
  // values written so far that lead a loop to where the run went
  std::vector<std::uint64_t> leading_out = {};
  bool first_leads_out = false;  // so does what was there at first
  bool strong() const { return strength.semantics != isa::Semantics::weak; }
  bool reads() const { return effect != trace::Effect::write; }
  bool writes() const { return effect != trace::Effect::read; }
};
struct Fence {
  trace::Strength strength;
  isa::Space memory = isa::Space::generic;  // whose accesses it orders (.sync_restrict); generic: all
};
struct ProxyFence {
  isa::Proxy proxy = isa::Proxy::async;
  trace::Strength strength;
  isa::Space space = isa::Space::generic;
  bool reads_only = false;
};
struct InitFence {};
/// griddepcontrol.wait: these tasks are over.
struct GridWait {
  std::vector<std::uint32_t> tasks;
};
/// All lanes of one bar.warp.sync have the same number.
struct WarpSync {
  std::uint64_t number = 0;
};
/// A barrier step of a CTA or a cluster; the semantics are those of barrier.cluster.
struct BarrierStep {
  bool cluster = false;
  bool arrives = true;  // or it leaves
  trace::Barrier barrier;
  trace::Phase phase = 0;
  isa::Semantics semantics = isa::Semantics::weak;
};
struct Init {
  trace::Address object = 0;
  std::uint32_t count = 0;
};
struct Invalidation {
  trace::Address object = 0;
};
struct Arrive {
  trace::Address object = 0;
  trace::Phase phase = 0;
  trace::Strength strength;
  std::uint32_t count = 1;
  std::int64_t bytes = 0;
  bool after_copies = false;    // cp.async.mbarrier.arrive
  trace::TensorCommit commits;  // what a tcgen05.commit tracks
};
/// One that succeeded: it saw this phase completed.
struct PhaseWait {
  trace::Address object = 0;
  trace::Phase phase = 0;
  trace::Strength strength;
};
struct Copy {
  isa::Proxy proxy = isa::Proxy::async;
  trace::Tracking tracking = trace::Tracking::mbarrier;
  trace::Address object = 0;
  trace::Phase phase = 0;
  bool reduces = false;
  std::vector<trace::Range> reads, writes;  // those of its bytes that are in question; in a slice one at most
  bool through_map = false;
  std::uint8_t element = 0;  // bytes of each atomic, where it reduces; 16: of each access of a strong copy
  trace::Strength strength = {};  // where it is written
  const trace::Range* read() const { return reads.empty() ? nullptr : reads.data(); }
  const trace::Range* written() const { return writes.empty() ? nullptr : writes.data(); }
};
struct Commit {
  trace::Tracking tracking = trace::Tracking::bulk_group;
};
struct WgmmaFence {};
/// A tcgen05 instruction, and those of its bytes of tensor memory that are in question.
struct TensorAccess {
  trace::TensorOp op = trace::TensorOp::none;
  std::uint8_t cta_group = 0;
  std::uint64_t product = 0;
  std::vector<trace::Range> reads, writes;
};
struct TensorWait {
  bool stores = false;
};
struct TensorFence {
  bool after = false;
};
struct GroupWait {
  trace::Tracking tracking = trace::Tracking::bulk_group;
  std::uint32_t pending = 0;
  bool reads_only = false;
};

using Step = std::variant<MemoryAccess, Fence, ProxyFence, InitFence, WarpSync, BarrierStep, Init,
                          Invalidation, GridWait, Arrive, PhaseWait, Copy, Commit, GroupWait, WgmmaFence,
                          TensorAccess, TensorWait, TensorFence>;

struct Entry {
  trace::Thread thread = 0;
  trace::Site site = 0;
  Step step;
};

/// Lanes begin another iteration of the loop that begins there.
struct JumpBack {
  std::size_t entries = 0;  // how many the log has before it
  trace::Site to = 0;
  trace::Lanes lanes;
};

struct Log {
  std::vector<trace::Placement> warps;
  std::vector<std::pair<std::uint32_t, trace::Range>> shared;  // of CTAs
  std::vector<std::set<std::uint32_t>> over_at_start;  // by task, those that it starts after, directly or not
  std::vector<Entry> entries;                          // in the order of the run
  bool complete = true;                                // nothing was left out for want of room
  std::vector<JumpBack> jumps;
  bool has_all_jumps = true;  // the same
};

/// Records a run. Accesses that overlap none of `bytes` are kept where they are strong.
class Recorder final : public trace::Observer {
 public:
  /// What is at an address before the run; nothing: that is not known.
  using Initially = std::function<std::optional<trace::Bits>(trace::Address at, std::uint32_t bytes)>;
  explicit Recorder(std::vector<trace::Range> bytes, Initially initially = {})
      : bytes_(std::move(bytes)), initially_(std::move(initially)) {}
  Log take() { return std::move(log_); }

  void start(std::span<const trace::Placement> warps) override;
  void shared_memory(std::uint32_t cta, trace::Range window) override;
  void start_behind(trace::Lanes lanes, std::span<const std::uint32_t> tasks) override;
  void start_after_end(trace::Lanes lanes, std::span<const std::uint32_t> tasks) override {
    start_behind(lanes, tasks);
  }
  void grid_wait(trace::Site site, trace::Lanes lanes, std::span<const std::uint32_t> tasks) override;
  void access(const trace::Access& access) override;
  void fence(trace::Site site, trace::Lanes lanes, trace::Strength strength, isa::Space memory) override;
  void proxy_fence(const trace::ProxyFence& fence) override;
  void warp_sync(trace::Site site, trace::Lanes lanes) override;
  void barrier_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                      trace::Phase phase) override;
  void barrier_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                     trace::Phase phase) override;
  void cluster_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                      isa::Semantics semantics) override;
  void cluster_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                     isa::Semantics semantics) override;
  void mbarrier_init(trace::Site site, trace::Thread thread, trace::Address object,
                     std::uint32_t count) override;
  void mbarrier_invalidate(trace::Site site, trace::Thread thread, trace::Address object) override;
  void mbarrier_arrive(const trace::Arrival& arrival) override;
  void mbarrier_complete(trace::Address object, trace::Phase phase) override;
  void mbarrier_wait(const trace::Wait& wait) override;
  void mbarrier_init_fence(trace::Site site, trace::Lanes lanes) override;
  void issue(const trace::Operation& operation) override;
  void commit_group(trace::Site site, trace::Thread thread, trace::Tracking tracking) override;
  void wait_group(trace::Site site, trace::Thread thread, trace::Tracking tracking, std::uint32_t pending,
                  bool reads_only) override;
  void cp_async_arrive(const trace::Arrival& arrival) override;
  void wgmma_fence(trace::Site site, trace::Lanes lanes) override;
  void wgmma_commit(trace::Site site, trace::Lanes lanes) override;
  void wgmma_wait(trace::Site site, trace::Lanes lanes, std::uint32_t pending) override;
  void tensor_issue(const trace::TensorOperation& operation) override;
  void tensor_wait(trace::Site site, trace::Lanes lanes, bool stores) override;
  void tensor_fence(trace::Site site, trace::Lanes lanes, bool after) override;
  void tensor_commit(const trace::Arrival& arrival, const trace::TensorCommit& commit) override;
  void exit(trace::Site, trace::Lanes) override {}
  void jump_back(trace::Site to, trace::Lanes lanes) override;

 private:
  void add(trace::Thread thread, trace::Site site, const Step& step);
  void add(trace::Lanes lanes, trace::Site site, const Step& step);
  void add(const trace::Arrival& arrival, bool after_copies, trace::TensorCommit commits = {});
  void note_values(const trace::Access& access, unsigned lane, unsigned element, MemoryAccess& step);
  void note_order(const trace::Access& access, unsigned lane, MemoryAccess& step);
  /// The parts that are in question.
  std::vector<trace::Range> in_question(std::span<const trace::Range> ranges) const;

  std::vector<trace::Range> bytes_;
  Initially initially_;
  Log log_;
  std::map<trace::Address, trace::Phase> completed_;  // phases of an object
  // values that strong writes left, in their order
  std::map<trace::Address, std::vector<std::uint64_t>> written_;
  std::set<std::pair<trace::Thread, trace::Address>> seen_;  // who has read there after one, or written
  std::map<trace::Address, std::uint64_t> strong_writes_;
  std::uint64_t warp_syncs_ = 0;
};

/// The bytes of both; they overlap.
trace::Range common(const trace::Range& a, const trace::Range& b);

}  // namespace ptxmc::extract

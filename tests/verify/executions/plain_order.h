// SPDX-License-Identifier: Apache-2.0
// Which accesses of one execution nothing orders: vector clocks as textbooks have them, and no more. It shares nothing with
// src/dynamic, predicts no other schedule and knows no proxies, so that what it finds is a race by any account.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::testing {

/// A time for each agent: a thread, or the reads or the writes of an asynchronous operation.
class PlainClock {
 public:
  std::uint32_t of(std::size_t agent) const { return agent < times_.size() ? times_[agent] : 0; }
  void set(std::size_t agent, std::uint32_t time);
  /// An agent's event alone, not what the agent did before: a write that was observed (8.9.5).
  void add(std::size_t agent, std::uint32_t time) { alone_.insert({agent, time}); }
  bool knows(std::size_t agent, std::uint32_t time) const {
    return of(agent) >= time || alone_.contains({agent, time});
  }
  void join(const PlainClock& other);

 private:
  std::vector<std::uint32_t> times_;
  std::set<std::pair<std::size_t, std::uint32_t>> alone_;
};

struct PlainRace {
  trace::Site first = 0, second = 0;
  trace::Address at = 0;
};

class PlainOrder final : public trace::Observer {
 public:
  const std::vector<PlainRace>& races() const { return races_; }
  /// The execution had operations that this checker does not know: what it says of it is nothing.
  bool is_foreign() const { return foreign_; }

  void start(std::span<const trace::Placement> warps) override;
  void start_behind(trace::Lanes lanes, std::span<const std::uint32_t> tasks) override;
  void grid_wait(trace::Site, trace::Lanes lanes, std::span<const std::uint32_t> tasks) override {
    start_behind(lanes, tasks);
  }
  void access(const trace::Access& access) override;
  void fence(trace::Site, trace::Lanes lanes, trace::Strength strength, isa::Space memory) override;
  void proxy_fence(const trace::ProxyFence&) override {}
  void warp_sync(trace::Site, trace::Lanes lanes) override;
  void barrier_arrive(trace::Site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase) override;
  void barrier_leave(trace::Site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase) override;
  void cluster_arrive(trace::Site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                      isa::Semantics semantics) override;
  void cluster_leave(trace::Site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                     isa::Semantics semantics) override;
  void mbarrier_init(trace::Site, trace::Thread, trace::Address object, std::uint32_t) override;
  void mbarrier_invalidate(trace::Site, trace::Thread, trace::Address) override {}
  void mbarrier_arrive(const trace::Arrival& arrival) override;
  void mbarrier_complete(trace::Address object, trace::Phase phase) override;
  void mbarrier_slip(trace::Address, trace::Phase) override { foreign_ = true; }
  void mbarrier_wait(const trace::Wait& wait) override;
  void mbarrier_init_fence(trace::Site, trace::Lanes) override {}
  void issue(const trace::Operation& operation) override;
  void commit_group(trace::Site, trace::Thread thread, trace::Tracking tracking) override;
  void wait_group(trace::Site, trace::Thread thread, trace::Tracking tracking, std::uint32_t pending,
                  bool reads_only) override;
  void cp_async_arrive(const trace::Arrival& arrival) override;
  void wgmma_fence(trace::Site, trace::Lanes) override { foreign_ = true; }
  void wgmma_commit(trace::Site, trace::Lanes) override { foreign_ = true; }
  void wgmma_wait(trace::Site, trace::Lanes, std::uint32_t) override { foreign_ = true; }
  void tensor_issue(const trace::TensorOperation&) override { foreign_ = true; }
  void exit(trace::Site, trace::Lanes) override {}

 private:
  /// What a release leaves for those who acquire it.
  struct Release {
    PlainClock clock;
    std::optional<trace::Thread> thread;  // nothing: the completion of an operation, which is for all
    isa::Scope scope = isa::Scope::none;
  };
  using Releases = std::vector<Release>;
  struct Write {
    trace::Thread thread = 0;
    std::uint32_t time = 0;
    isa::Scope scope = isa::Scope::none;
  };
  /// What a strong read of a location may observe: a write, and the writes that atomics read and passed on.
  struct Message {
    Releases releases;
    std::vector<Write> writes;
  };
  struct Flight {  // an asynchronous operation
    trace::Thread issuer = 0;
    PlainClock reads, all;  // what is known when its reads are over, and when all of it is
  };
  struct Touch {
    std::size_t agent = 0;
    const PlainClock& clock;  // of the agent
    trace::Site site = 0;
    bool writes = false;
    std::optional<isa::Scope> strong;  // nothing: weak
    std::optional<std::uint64_t> value;
    trace::Range bytes;
  };
  struct Seen {
    std::size_t agent = 0;
    std::uint32_t time = 0, mask = 0;
    trace::Site site = 0;
    bool writes = false;
    std::optional<isa::Scope> strong;
    std::optional<std::uint64_t> value;
    trace::Range bytes;
  };
  struct Groups {
    std::vector<std::size_t> open;                 // numbers of flights
    std::vector<std::vector<std::size_t>> closed;  // that nobody has waited for in whole
  };
  using Rendezvous = std::tuple<bool, std::uint32_t, std::uint8_t, trace::Phase>;  // of a cluster, group, id

  void tick(trace::Thread thread);
  bool includes(isa::Scope scope, trace::Thread from, trace::Thread other) const;
  bool meet(isa::Scope first, trace::Thread one, isa::Scope second, trace::Thread other) const;
  void take(trace::Thread thread, isa::Scope scope, const Releases& releases);
  /// Those of one thread and scope are taken together, so that one clock holds them.
  static void join(Releases& into, const Release& release);
  /// What the thread releases by a strong write or an arrival.
  Releases released_by(trace::Thread thread, trace::Strength strength) const;
  void observe(trace::Thread thread, trace::Strength strength, const Releases& releases);
  void element(const trace::Access& access, unsigned lane, unsigned element);
  void touch(const Touch& touch);
  void compare(const Touch& touch, Seen& seen, trace::Address word, std::uint32_t mask);
  std::size_t fly(const trace::Operation& operation);

  std::vector<trace::Placement> warps_;
  std::vector<PlainClock> clocks_;  // by thread
  std::size_t agents_ = 0;
  std::vector<Releases> fenced_,
      pending_;          // by thread: of its release fences; what acquire fences would take
  Releases sequential_;  // of fence.sc
  std::unordered_map<trace::Address, Message> messages_;
  std::map<Rendezvous, PlainClock> rendezvous_;
  std::map<std::pair<trace::Address, trace::Phase>, Releases> phases_;
  std::unordered_map<trace::Address, trace::Phase> completed_;
  std::vector<Flight> flights_;
  std::map<std::pair<trace::Thread, trace::Tracking>, Groups> groups_;
  std::unordered_map<trace::Address, std::vector<Seen>> words_;
  std::set<std::pair<trace::Site, trace::Site>> known_;
  std::vector<PlainRace> races_;
  bool foreign_ = false;
};

}  // namespace ptxmc::testing

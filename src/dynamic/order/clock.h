// SPDX-License-Identifier: Apache-2.0
// Clocks: what a thread knows to be over, by agent. Agents are threads, for each thread the groups of its
// asynchronous copies, and for each mbarrier object its completed phases: an asynchronous access that phase k
// of an object tracks is over for any thread that knows of that phase, which tells nothing of its issuer
// (8.9.1.1), nor of the phases before it.
//
// A clock is immutable and shared by the threads that know the same. Threads of a warp have one entry while they agree.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dynamic/order/events.h"
#include "dynamic/order/order_kinds.h"

namespace ptxmc::trace {

/// The time of a thread: its accesses between two of its releases have one time, from 1. The time of a group
/// agent: operations issued so far. The time of an mbarrier object: completed phases.
using Time = std::uint32_t;
/// An mbarrier object between an init and the next.
using ObjectId = std::uint32_t;

enum class Agent : std::uint8_t { thread, cp_async, bulk_writes, bulk_reads, object };
constexpr std::size_t kThreadAgents = 4;  // those that each thread has
constexpr std::size_t kGroupAgents = 3;   // of these, those of its copies

/// Accesses of threads of one warp at one time; or operations of one of them; or what a phase of an object tracks.
struct Epoch {
  Agent agent = Agent::thread;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  ObjectId object = 0;  // of Agent::object alone
  Time time = 0;
};

/// Times of one agent of each thread.
class Times {
 public:
  /// The least of the lanes in mask.
  Time least(std::uint32_t warp, std::uint32_t mask) const;
  bool covers(std::uint32_t warp, std::uint32_t mask, Time time) const {
    const Row* row = find(warp);
    if (row == nullptr) return time == 0;
    return row->lanes == nullptr ? row->all >= time : least(warp, mask) >= time;
  }
  bool covers(const Times& other) const;
  void raise(Lanes lanes, Time time);
  /// All lanes of the warp know the same of this agent's.
  bool uniform(std::uint32_t warp) const {
    const Row* row = find(warp);
    return row == nullptr || row->lanes == nullptr;
  }
  void join(const Times& other);
  bool empty() const { return rows_.empty(); }

 private:
  using LaneTimes = std::array<Time, kLanes>;
  struct Row {
    Time all = 0;  // where the lanes agree
    std::shared_ptr<LaneTimes> lanes;
  };
  const Row* find(std::uint32_t warp) const {
    const std::uint32_t at = warp - first_;  // of a warp before the first, beyond all
    return at < rows_.size() ? &rows_[at] : nullptr;
  }
  Row& row(std::uint32_t warp);
  static bool covers(const Row& row, const LaneTimes& times);
  static void join(Row& row, const Row& other);
  std::uint32_t first_ = 0;  // warp: what a CTA knows is of warps near each other, as a rule
  std::vector<Row> rows_;    // by warp from there on; absent: 0
};

/// What is known along one plane.
struct Knowledge {
  /// Times of an object that are known apart from those in front of them: after the first, up to the last.
  struct Apart {
    ObjectId object = 0;
    Time first = 0, last = 0;
    friend auto operator<=>(const Apart&, const Apart&) = default;
  };
  std::array<Times, kThreadAgents> threads;  // by Agent
  std::vector<Time> objects;                 // all times up to here
  std::vector<Apart> apart;                  // beyond that; in order, and none meets another

  Time phases(ObjectId object) const { return object < objects.size() ? objects[object] : 0; }
  void raise_object(ObjectId object, Time time) { raise_object({object, 0, time}); }
  void raise_object(Apart times);
  bool covers(const Apart& times) const;
  bool covers(const Epoch& epoch) const {
    if (epoch.agent == Agent::object)
      return phases(epoch.object) >= epoch.time ||
             (!apart.empty() && covers({epoch.object, epoch.time - 1, epoch.time}));
    return threads[static_cast<std::size_t>(epoch.agent)].covers(epoch.warp, epoch.mask, epoch.time);
  }
  bool covers(const Knowledge& other) const;
  void join(const Knowledge& other);
};

struct Clock {
  std::array<std::shared_ptr<const Knowledge>, kOrderKinds> planes;  // null: nothing is known

  const Knowledge* plane(OrderKind plane) const { return planes[static_cast<std::size_t>(plane)].get(); }
  bool covers(OrderKind which, const Epoch& epoch) const {
    const Knowledge* known = plane(which);
    return known != nullptr && known->covers(epoch);
  }
  bool covers(const Clock& other) const;
};
using ClockRef = std::shared_ptr<const Clock>;

/// What a thread knows beyond its clock: of itself. Kept apart, so that threads that know the same of others share a
/// clock.
struct Own {
  std::array<Time, kGroupAgents> done{};    // of its own copies, by Agent - 1
  std::array<Time, kOrderKinds> crossed{};  // a fence of the proxy comes after its own accesses up to here
  friend bool operator==(const Own&, const Own&) = default;
};

/// All that threads of one warp knew at one time, the accesses of each included. They know the same.
struct Snapshot {
  ClockRef clock;
  Lanes lanes;
  Time time = 0;
  Own own;

  /// Lanes of the epoch that one of these lanes, some of the snapshot's, knew are open no more.
  void close(std::uint32_t of, Epoch& open) const;
};

ClockRef join(const ClockRef& a, const ClockRef& b);
/// What a clock knows along the plane and along base, as known along the plane alone.
ClockRef narrowed(const ClockRef& from, OrderKind plane);
/// What it tells where no memory is ordered: what has been executed, and which waits are over.
ClockRef executed(const ClockRef& from);
/// What a thread learns from it by an acquire fence with .sync_restrict (9.7.12.4).
ClockRef of_shared_memory(const ClockRef& from);
/// One clock for all of them.
ClockRef join(std::span<const Snapshot> snapshots);

/// A clock that is being made: planes are copied when they are first changed.
class ClockEdit {
 public:
  explicit ClockEdit(const ClockRef& from) : clock_(from == nullptr ? Clock{} : *from) {}
  Knowledge& plane(OrderKind which);
  /// The plane becomes what another one is.
  void assign(OrderKind to, OrderKind from);
  /// The plane as another clock has it.
  void share(OrderKind which, const ClockRef& from);
  /// The waits that another clock knows to be over.
  void add_passed(const Clock& from);
  void join(const Clock& other);
  void add(const Snapshot& own);  // what its threads know of themselves
  ClockRef take() { return std::make_shared<const Clock>(std::move(clock_)); }

 private:
  Clock clock_;
  std::array<std::shared_ptr<Knowledge>, kOrderKinds> changed_;
};

}  // namespace ptxmc::trace

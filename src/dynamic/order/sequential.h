// SPDX-License-Identifier: Apache-2.0
// The order of fence.sc (8.9.3). Two of them are in an order in every schedule where one comes before a write
// that is read before the other: the opposite order would put the read before the write that it reads from
// (8.10.6), whether or not these two are morally strong. So they are where the order at a location is given
// (exec::Turns), and one comes before an access there, after which a write comes that is before the other:
// that write would be before the access (8.10.1, 8.10.6).
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "dynamic/order/threads.h"

namespace ptxmc::trace {

class Sequential {
 public:
  explicit Sequential(Threads& threads) : threads_(threads) {}
  void start() { fences_.resize(threads_.warps()); }

  /// Some thread has executed one.
  bool any() const { return any_; }
  /// What a strong write of the thread tells those that observe it: the fences before it, along OrderKind::observed.
  ClockRef told_by_write(Thread thread) const;
  /// An access at a location whose order is given, of which it is the next one. A thread that writes there
  /// comes after all before it.
  void take_turn(Thread thread, Address at, bool writes);
  /// The lanes execute one: they learn what those before it knew.
  void order(Lanes lanes, isa::Scope scope);
  /// After order: others may come after these.
  void add(Site site, Lanes lanes, isa::Scope scope);

  struct Fence {
    Snapshot snapshot;
    isa::Scope scope = isa::Scope::none;
    Site site = 0;
  };
  /// A fence of the epoch's own thread, after it, and told of by this along OrderKind::observed. Null: none.
  const Fence* told_of(const Clock& seen, const Epoch& epoch) const;
  /// A fence of the thread, after what told of that one. Null: none.
  const Fence* behind(Thread thread, const Fence& told) const;

 private:
  void order(Lanes lanes, const ClockRef& clock, isa::Scope scope);

  Threads& threads_;
  bool any_ = false;
  std::vector<std::deque<Fence>> fences_;        // by warp, the newest first
  std::unordered_map<Address, ClockRef> turns_;  // by location, what those before it tell
};

}  // namespace ptxmc::trace

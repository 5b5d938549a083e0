// SPDX-License-Identifier: Apache-2.0
// Proxy fences that count for some accesses alone (8.6, 9.7.12.4), as events: those of the constant, texture
// and surface proxies, for accesses of their own thread block (D2); those of the async proxy for the shared
// memory of a thread block or cluster; and pairs of one-directional ones, for memory and maps that both of
// them cover, where their scopes include each other (D32). A thread that knows of a fence comes after all
// that its thread knew there.
#pragma once

#include <compare>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "dynamic/order/fence_events.h"
#include "dynamic/order/readings.h"
#include "dynamic/order/threads.h"

namespace ptxmc::trace {

class ProxyFences {
 public:
  ProxyFences(Threads& threads, const Readings& readings)
      : threads_(threads),
        anywhere_(readings.proxy_fences_anywhere),
        starts_release_maps_(readings.starts_release_maps),
        strong_reads_race_(readings.strong_reads_race),
        read_fences_cumulate_(readings.read_fences_cumulate) {}

  /// Accesses for which fences in both directions count: of the proxy, in a thread block or cluster.
  struct Group {
    isa::Proxy proxy = isa::Proxy::generic;
    bool cluster = false;
    std::uint32_t number = 0;
    friend auto operator<=>(const Group&, const Group&) = default;
  };
  void add(Lanes lanes, Group group);
  /// The group of a proxy that has a cache in each thread block (8.6, D2).
  Group of_block(isa::Proxy proxy, std::uint32_t cta) const { return {proxy, false, anywhere_ ? 0 : cta}; }
  /// One of them is between the epoch and the thread.
  bool knows(Thread thread, const Group& group, const Epoch& epoch) const;

  void add_directed(const ProxyFence& fence);
  /// An access of this proxy and Kind::place, by the thread, comes after an acquire, and that after a release
  /// that the epoch is before; each of the two covers the access. The acquire of a tensor map is in the
  /// thread block of its user.
  struct Target {
    isa::Proxy proxy = isa::Proxy::generic;
    std::uint64_t place = 0;
    bool behind_read = false;  // the access that it comes after is a read by a thread
  };
  bool knows_pair(Thread thread, const Target& target, const Epoch& epoch) const;
  /// A strong read and a strong write through two proxies race all the same (8.6.1, 8.7.1).
  bool strong_reads_race() const { return strong_reads_race_; }

 private:
  static constexpr std::uint64_t kEveryMap = ~std::uint64_t{0};
  /// A one-directional fence.
  struct Directed {
    Snapshot before;
    isa::Proxy proxy = isa::Proxy::generic;
    isa::Scope scope = isa::Scope::none;
    isa::Space space = isa::Space::generic;
    std::uint64_t map = kEveryMap;
    bool reads_only = false;
  };
  using DirectedRef = std::shared_ptr<const Directed>;
  struct Acquire {
    Directed fence;
    std::vector<std::pair<DirectedRef, std::uint32_t>> releases;  // of these lanes of each
  };

  bool covers(const Directed& fence, const Target& target, Thread thread) const;
  Acquire acquire(Thread thread, Directed fence) const;

  Threads& threads_;
  bool anywhere_ = false;
  bool starts_release_maps_ = true;  // D33: the end of a task releases its tensor maps
  bool strong_reads_race_ = false;
  bool read_fences_cumulate_ = false;  // those that release reads alone
  std::map<Group, FenceEvents> fences_;
  /// The newest first, by warp; acquires by thread.
  std::map<std::uint32_t, std::deque<DirectedRef>> releases_;
  std::map<Thread, std::deque<Acquire>> acquires_;
};

}  // namespace ptxmc::trace

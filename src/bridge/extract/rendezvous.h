// SPDX-License-Identifier: Apache-2.0
// Phases of barriers in a slice: which of its warps take part, and whether one of them waits. A phase that no
// thread of the slice arrives at, or leaves, orders nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "bridge/extract/log.h"
#include "bridge/extract/slice.h"

namespace ptxmc::extract {

class Rendezvous {
 public:
  explicit Rendezvous(const Slice& slice);

  /// What a thread does there; empty: nothing that orders.
  std::string text(const BarrierStep& step, trace::Thread thread) const;
  /// Phases of the barrier of a cluster at which a thread of it arrives before the slice begins, as all threads do.
  std::size_t before_slice(std::uint32_t cluster, trace::Thread thread) const;

 private:
  struct Meeting {
    std::set<std::uint32_t> warps;  // that take part
    std::set<trace::Thread> arrive, leave;
  };
  using Key = std::tuple<bool, std::uint32_t, std::uint8_t, trace::Phase>;  // of a cluster, or of a CTA
  static Key key(const BarrierStep& s) { return {s.cluster, s.barrier.group, s.barrier.id, s.phase}; }

  std::map<Key, Meeting> meetings_;
};

}  // namespace ptxmc::extract

// SPDX-License-Identifier: Apache-2.0
// Findings of a trace as data: sites, threads, bytes, and what is missing. Reports put them into words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamic/order/events.h"
#include "finding/rules.h"

namespace ptxmc::trace {

using finding::RuleId;

/// What happened at one of the two places.
struct Place {
  Site site = 0;
  Thread thread = 0;
  Effect effect = Effect::read;
  isa::Proxy proxy = isa::Proxy::generic;
  bool operation = false;  // asynchronous: `thread` issued it
};

enum class Missing : std::uint8_t {
  synchronization,
  wait,
  proxy_fence,
  scope,
  state_space,  // a fence with .sync_restrict between the two orders accesses of other memory (9.7.12.4)
  acquire,
  release,           // by what the thread of the second waited for (8.8)
  sequential_fence,  // after a read that comes after the fence.sc of the first thread (8.9.3)
  warp_sync,
  init_fence,
  tensor_fence,
  wgmma_fence,   // the thread is after the first access, and its wgmma.mma_async started before that (R244)
  mutual_scope,  // both are strong, and one's scope does not include the other's thread (8.7.1)
  one_access  // it is beside the read that sees the release in a vector, whose elements are in no order (8.2.4)
};

struct Cause {
  Missing missing = Missing::synchronization;
  isa::Proxy proxy = isa::Proxy::generic;  // of Missing::proxy_fence
  /// The ends that do not meet, for Missing::scope, state_space, acquire and release.
  std::optional<Site> release, acquire;
  friend auto operator<=>(const Cause&, const Cause&) = default;
};

/// A phase of an mbarrier object.
struct ObjectPhase {
  Address object = 0;
  Phase phase = 0;
  friend bool operator==(const ObjectPhase&, const ObjectPhase&) = default;
};

struct Finding {
  RuleId rule = RuleId::race;
  Place first, second;
  Range bytes;  // in the first instance
  Cause cause;
  std::uint64_t instances = 1;
  std::optional<Site> family = {};  // of an mbarrier object: its init, or what used it first
  /// The wait may be overtaken, and no thread that waits for that phase comes before the end of the next, in
  /// any instance.
  bool alone = false;
  bool late = false;  // the first one, which was meant to come first, happened after the second
  /// To which the first access, an asynchronous operation, counts; of a wait that returned at once, the phase under way, which
  /// it does not wait for.
  std::optional<ObjectPhase> phase = {};
  std::optional<unsigned> elected = {};  // the runs that show it have elected this lane, others the lowest

  /// As they happened.
  std::pair<Place, Place> in_order() const {
    return late ? std::pair(second, first) : std::pair(first, second);
  }
};

/// What a run cannot tell though it has no finding.
struct LeftOpen {
  /// More equal writes of a byte than are remembered stood beside each other before another access: a race may be hidden.
  bool equal_writes = false;
  /// Strong reads by asynchronous operations, or of what such an operation wrote, whose order with the write is not given, nor
  /// followed through all orders.
  std::set<Site> reads;
  /// Strong accesses of two kernels that overlap, one of which decides, were made in one order alone: that of the kernels.
  bool kernels = false;

  void add(const LeftOpen& other) {
    kernels = kernels || other.kernels;
    equal_writes = equal_writes || other.equal_writes;
    reads.insert(other.reads.begin(), other.reads.end());
  }
};

/// One for each rule, pair of sites and cause, in the order in which they were first found.
class Findings {
 public:
  /// Its number.
  std::size_t add(const Finding& finding);
  /// One more instance of the finding with this number.
  void again(std::size_t number) { ++findings_[number].instances; }
  const std::vector<Finding>& all() const { return findings_; }

 private:
  using Key = std::tuple<RuleId, Site, Site, Cause>;
  std::map<Key, std::size_t> by_cause_;
  std::vector<Finding> findings_;
};

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
// Findings of a trace as data: sites, threads, bytes, and what is missing. Reports put them into words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/diagnostic.h"
#include "trace/events.h"

namespace ptxmc::trace {

enum class Rule : std::uint8_t {
  race,              ///< 8.7.1
  proxy_race,        ///< ordered, were it not for the proxies (8.6)
  cross_proxy_war,   ///< the same, of a read and a later write by the async proxy (D3)
  scope_too_narrow,  ///< a release and an acquire that would order them do not include each other (8.5)
  remote_arrival,  ///< the same of an arrival at the mbarrier object of another CTA, or a wait for it (R211, A7)
  missing_acquire,         ///< a relaxed read saw the release, and no acquire pattern follows (8.8)
  warp_exchange,           ///< only exchanges of values between lanes order them (D22)
  equal_bytes,             ///< unordered writes of the same known value
  mbarrier_uninitialised,  ///< nothing orders the operation behind the init (R193)
  mbarrier_init_unfenced,  ///< a completion by the async proxy, with no fence behind the init (R185)
  mbarrier_misuse,         ///< an access to the bytes of a live object (R194)
  phase_not_confluent,  ///< an arrival that nothing orders behind the phase before: it may count to that one
  wait_overtaken,  ///< nothing orders the end of the next phase behind the wait: it may find the parity flipped twice
  mbarrier_no_complete,  ///< an arrival that must not complete the phase, and no other one is behind it (R207)
  mbarrier_invalidated,  ///< an operation on the object that nothing orders before mbarrier.inval (R193)
  stale_poll,            ///< a wait for a phase that is known to be over
  barrier_reuse,         ///< an arrival at a named barrier that nothing orders behind the phase before (R175)
  exit_in_flight,  ///< shared memory that an asynchronous operation writes after the exit of its CTA (5.1.7)
  shared_after_exit,  ///< shared memory that another CTA uses, and nothing orders that before the exit (R18)
  exit_in_flight_read,  ///< the same of a read by the CTA's own operation
  tensor_fence,  ///< tensor memory: complete, or issued, but no tcgen05.fence stands behind that (9.7.16.6.3)
  tensor_order,  ///< tensor memory: issued in order by one thread, but no pair that executes so (9.7.16.6.2)
  tensor_freed,  ///< tensor memory that is deallocated, or may be (9.7.16.7.1)
  lost_value,    ///< what a loop waits for may be overwritten before it is read
  stale_read,    ///< strong, so no race; but it may take an older value than the one that was released (8.8)
  warp_lockstep,        ///< lanes of a warp exchange a value by volatile accesses that nothing orders
  shared_before_start,  ///< shared memory of another CTA, and nothing shows that it has started (2.2.2)
  registers_unsynchronized,  ///< a setmaxnreg that another warp of the group may not have executed the one before (R234)
  before_grid_wait,  ///< no griddepcontrol.wait: that the grid before launches no dependents alone orders them (R233)
};
constexpr std::size_t kRules = 29;

std::string_view name_of(Rule rule);
Severity severity_of(Rule rule);
/// A pair of accesses that some execution does in no order (8.7.1), whatever the cause.
bool is_race(Rule rule);

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
  acquire,
  release,           // by what the thread of the second waited for (8.8)
  sequential_fence,  // behind a read that comes behind the fence.sc of the first thread (8.9.3)
  warp_sync,
  init_fence,
  tensor_fence,
  wgmma_fence,   // the thread is behind the first access, and its wgmma.mma_async started before that (R244)
  mutual_scope,  // both are strong, and one's scope does not include the other's thread (8.7.1)
  one_access  // it is beside the read that sees the release in a vector, whose elements are in no order (8.2.4)
};

struct Cause {
  Missing missing = Missing::synchronization;
  isa::Proxy proxy = isa::Proxy::generic;  // of Missing::proxy_fence
  std::optional<Site> release, acquire;  // of Missing::scope, acquire and release: the ends that do not meet
  friend auto operator<=>(const Cause&, const Cause&) = default;
};

struct Finding {
  Rule rule = Rule::race;
  Place first, second;
  Range bytes;  // in the first instance
  Cause cause;
  std::uint64_t instances = 1;
  std::optional<Site> family = {};  // of an mbarrier object: its init, or what used it first
  /// Of a wait that may be overtaken: nobody who waits for that phase comes before the end of the next, in no instance.
  bool alone = false;
  bool late = false;  // the first one, which was meant to come first, happened behind the second
  std::optional<unsigned> elected = {};  // the runs that show it have elected this lane, others the lowest

  /// As they happened.
  std::pair<Place, Place> in_order() const {
    return late ? std::pair(second, first) : std::pair(first, second);
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
  using Key = std::tuple<Rule, Site, Site, Cause>;
  std::map<Key, std::size_t> by_cause_;
  std::vector<Finding> findings_;
};

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
// Marks: an access as shadow memory remembers it, and what two accesses of a byte are to each other.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dynamic/order/restricted_fences.h"
#include "dynamic/order/threads.h"
#include "dynamic/shadow/proxy_fences.h"

namespace ptxmc::trace {

using KindId = std::uint32_t;

/// Kind::place of accesses of shared memory: whose it is.
constexpr std::uint64_t kNotShared = 0;
constexpr std::uint64_t shared_of(std::uint32_t cta) {
  return std::uint64_t{cta} + 1;
}

constexpr KindId kNoKind = ~KindId{0};

/// What all executions of an instruction have in common.
struct Kind {
  Site site = 0;
  Effect effect = Effect::read;
  isa::Proxy proxy = isa::Proxy::generic;
  Strength strength;
  std::uint8_t bytes = 0;  // of an element; 0: unspecified, of a copy (8.7.2)
  std::uint8_t elements = 1;
  Agent agent = Agent::thread;
  ObjectId object = 0;
  bool operation = false;  // asynchronous
  bool decides = false;    // a read that control rests on: what it observes, it observes in all schedules
  /// The place of an asynchronous operation: whose shared memory it accesses (shared_of), or the map that it
  /// reads.
  std::uint64_t place = 0;
  TensorKind tensor = {};  // of a tcgen05 instruction
  /// An atomic of a loop that waits: it writes what it reads, so that in some schedule no thread observes it.
  bool keeps = false;
  std::uint32_t path = 0;         // Access::path
  std::uint8_t commutes = 0;      // Access::commutes
  bool may_write = false;         // Access::may_write
  KindId if_it_writes = kNoKind;  // what a swap that fails is where it succeeds (Access::open_swap)
  // of a volatile access without a scope: the lanes that execute it together, else none
  std::uint32_t at_once = 0;
  bool in_warp_order = false;  // Access::in_warp_order
  bool writes() const { return effect != Effect::read; }
  bool is_open_swap() const { return if_it_writes != kNoKind; }
  bool is_read_by_thread() const { return effect == Effect::read && !operation; }
  bool strong() const { return strength.semantics != isa::Semantics::weak; }
  friend bool operator==(const Kind&, const Kind&) = default;
};

class Kinds {
 public:
  KindId find(const Kind& kind);
  const Kind& operator[](KindId id) const { return kinds_[id]; }

 private:
  std::vector<Kind> kinds_;
  std::vector<std::vector<KindId>> by_site_;
  std::vector<KindId> last_;  // by site
};

/// One or more lanes of a warp; of an asynchronous operation, the lane that issued it.
struct ShadowAccess {
  KindId kind = 0;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;  // 0: there is none
  Time time = 0;
  /// What a write wrote (values.h), 0 if that is not known. For a read or an atomic: what it is to the writes
  /// in its cell (observed.h).
  std::uint32_t value = 0;
  /// What a write wrote that would have taken its place, but for writes of the same (Memory::is_hidden); 0: there is none.
  std::uint32_t hidden_by = 0;
  friend bool operator==(const ShadowAccess&, const ShadowAccess&) = default;
};
/// By lanes of one instruction, executed together.
inline bool same_access(const ShadowAccess& a, const ShadowAccess& b) {
  return a.kind == b.kind && a.warp == b.warp && a.time == b.time;
}
/// The first of its lanes; the one after the warp's, if there are none.
inline Thread first_of(const ShadowAccess& mark) {
  return mark.warp * kLanes + static_cast<Thread>(std::countr_zero(mark.mask | (1ULL << kLanes)));
}

/// From best to worst.
enum class Pair : std::uint8_t {
  harmless,  // no write
  ordered,   // 8.9.5
  strong,    // morally strong (8.7.1), or seen across proxies (8.6.1)
  ended,   // ordered by the end of a grid that nothing waited for, as that grid launches no dependents (R233)
  remote,  // ordered by arrivals at objects of other CTAs, were their scope wide enough (A7)
  exchanged,  // ordered by exchanges of values alone (D22)
  proxy,      // ordered, were it not for their proxies (8.6)
  issued,  // of tensor memory: by one thread, in order, which need not be that of their execution (9.7.16.6.2)
  fence,   // of tensor memory: the same, were a tcgen05.fence there
  freed,   // ordered after its deallocation
  unordered,
};

class Order {
 public:
  Order(const Threads& threads, const Kinds& kinds, const ProxyFences& fences,
        const RestrictedFences& restricted)
      : threads_(threads), kinds_(kinds), fences_(fences), restricted_(restricted) {}
  /// The accesses that are asked about from here on are of this address: some fences are of some memory alone.
  void look_at(Address at) { at_ = at; }
  bool rests_on_place() const { return restricted_.any(); }
  /// The mark, and an access of a kind by a thread that happens now.
  Pair relate(const ShadowAccess& mark, const Kind& kind, Thread thread) const;
  /// Ordered before what the thread does now by an access of this proxy.
  Pair reach(const ShadowAccess& mark, const Kind& kind, Thread thread) const;
  bool morally_strong(const ShadowAccess& mark, const Kind& kind, Thread thread) const;
  /// They are, or a strong read and a strong write through another proxy that it comes to see (8.6.1).
  bool never_race(const ShadowAccess& mark, const Kind& kind, Thread thread) const {
    return morally_strong(mark, kind, thread) || sees_across(mark, kind, thread);
  }
  /// Some fence with .sync_restrict was executed.
  bool has_restricted_fences() const { return restricted_.any(); }
  Epoch epoch(const ShadowAccess& mark) const {
    const Kind& kind = kinds_[mark.kind];
    return {kind.agent, mark.warp, mark.mask, kind.object, mark.time};
  }

 private:
  bool sees_across(const ShadowAccess& mark, const Kind& kind, Thread thread) const;
  Pair reach_tensor(const ShadowAccess& mark, const Kind& kind, Thread thread) const;
  bool crosses(const Epoch& epoch, const Kind& first, const Placement& at, const Kind& second,
               Thread thread) const;
  bool fenced(const Epoch& epoch, const Kind& kind, const Placement& at, Thread thread) const;
  const Threads& threads_;
  const Kinds& kinds_;
  const ProxyFences& fences_;
  const RestrictedFences& restricted_;
  Address at_ = 0;
};

}  // namespace ptxmc::trace

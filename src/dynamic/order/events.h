// SPDX-License-Identifier: Apache-2.0
// What the execution of a kernel tells of itself: one call an event, in the order in which the events happened. No PTX
// text, no registers: places of threads, addresses, and what orders them.
//
// A thread is 32 * its warp + its lane. Addresses are flat: global memory as it is, and the shared memory of each CTA in
// a window of its own that overlaps nothing else, so that equal addresses are equal locations for all threads.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "ptx/isa/isa.h"
#include "ptx/isa/warp.h"

namespace ptxmc::trace {

using Thread = std::uint32_t;
/// An instruction of the code. All executions of one statement have the same.
using Site = std::uint32_t;
using Address = std::uint64_t;  // bytes
/// Phases of a barrier that completed before: 0 is the first one.
using Phase = std::uint64_t;

constexpr unsigned kLanes = isa::kWarp;

/// Where a warp runs; numbers are of the whole run. Tasks run in the order of their numbers, unless they overlap as
/// programmatic dependents do.
struct Placement {
  std::uint32_t cta = 0, cluster = 0, gpu = 0, task = 0;
  std::uint32_t lanes = ~std::uint32_t{0};  // that run: a warp need not be full
};

/// Threads of one warp that execute an instruction together.
struct Lanes {
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  unsigned count() const { return static_cast<unsigned>(std::popcount(mask)); }
  Thread thread(unsigned lane) const { return warp * kLanes + lane; }
  friend bool operator==(const Lanes&, const Lanes&) = default;
};

constexpr Lanes lane_of(Thread thread) {
  return {thread / kLanes, std::uint32_t{1} << (thread % kLanes)};
}

/// Calls act for each of the threads.
template <typename Act>
void for_threads(Lanes lanes, Act&& act) {
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1)
    act(lanes.thread(static_cast<unsigned>(std::countr_zero(rest))));
}

struct Strength {
  isa::Semantics semantics = isa::Semantics::weak;
  isa::Scope scope = isa::Scope::none;
  friend bool operator==(const Strength&, const Strength&) = default;
};

enum class Effect : std::uint8_t { read, write, update };  // update: an atomic that reads and writes

/// A swap that fails, and may succeed: it would write.
enum class OpenSwap : std::uint8_t {
  no,
  by_order,     // where another write comes before it
  by_contents,  // what it compares rests on contents or on timing
};

/// What an atomic writes, of what it reads. Nothing: that is not evaluated.
struct Rewrite {
  using Apply = std::optional<std::uint64_t> (*)(const isa::Modifiers&, std::uint64_t old,
                                                 std::uint64_t value, std::uint64_t comparand);
  Apply apply = nullptr;
  const isa::Modifiers* how = nullptr;
  std::uint64_t value = 0, comparand = 0;
};

/// The same of the lanes of an instruction: operands by lane.
struct Rewrites {
  Rewrite one;
  std::span<const std::uint64_t, kLanes> values, comparands;
  std::uint32_t tainted = 0;  // lanes whose operands rest on data or on timing
};

/// As long as the longest access of one operation.
__extension__ using Bits = unsigned __int128;

/// A value of which some bits may rest on contents that a launch leaves open: `known` has the others.
struct PartlyKnown {
  Bits bits = 0, known = ~Bits{0};
  friend auto operator<=>(const PartlyKnown&, const PartlyKnown&) = default;
};
constexpr PartlyKnown kAnything{0, 0};

/// Where a loop that waits leads what was read in it. Nothing: it waits on. Not `known`: bits decide that are
/// not, so that it may be left for this place or wait on; or it is not known.
struct Leads {
  std::optional<std::size_t> to;
  bool known = true;
};

constexpr std::size_t kMostElements = 8;  // of a vector

/// A loop that waits for values of locations, and reads them by one instruction.
struct Polling {
  std::uint32_t left = 0;  // lanes whose last turn it is
  /// Where the lane would have gone on after the loop, had it read these values, of a vector one an element.
  std::function<Leads(unsigned lane, std::span<const PartlyKnown> values)> left_for;
  /// The elements of a vector that it was left for, by lane, a bit each: whatever is in the others makes no
  /// difference then.
  std::array<std::uint8_t, kLanes> awaited = all_elements();
  bool together = false;  // lanes that leave it have told each other what they read

  bool awaits(unsigned lane, unsigned element) const { return (awaited[lane] >> element & 1U) != 0; }
  /// The same where one of so many elements is known.
  Leads left_for_one(unsigned lane, unsigned element, unsigned elements, PartlyKnown value) const {
    std::array<PartlyKnown, kMostElements> values{};
    values.fill(kAnything);
    values[element] = value;
    return left_for(lane, std::span(values.data(), elements));
  }

 private:
  static constexpr std::array<std::uint8_t, kLanes> all_elements() {
    std::array<std::uint8_t, kLanes> out{};
    out.fill(0xff);
    return out;
  }
};

/// The ways on which accesses are made that open contents decide. An instruction has a number for those of its lanes; 0: all
/// of them make it whatever the contents are.
class Paths {
 public:
  struct At {
    std::uint32_t number = 0;
    unsigned lane = 0;
  };
  virtual ~Paths() = default;
  /// There are no contents for which both are made.
  virtual bool exclude(At first, At second) = 0;
};

/// ld, st, atom, red: the same instruction in each of the lanes. A vector is several elements, each an access of its own
/// (8.2.4).
struct Access {
  Site site = 0;
  Lanes lanes;
  Effect effect = Effect::read;
  isa::Proxy proxy = isa::Proxy::generic;
  Strength strength;
  std::uint8_t bytes = 4;                  // of an element
  std::uint8_t elements = 1;               // one after the other
  std::span<const Address, kLanes> begin;  // of the first element, by lane; those of other lanes mean nothing
  /// What it wrote: elements of lane 0, of lane 1, ..., each in a word, or of 16 bytes in two; empty: unknown, or nothing.
  std::span<const std::uint64_t> written;
  std::uint32_t tainted = 0;  // lanes whose written values rest on data or on timing
  /// Control may rest on the result of what reads. If not, as of red, an execution with the same
  /// synchronization may read another write, so that reading orders nothing in all schedules.
  bool decides = true;
  /// All lanes make one access, at one place: it is over when it is for each of them (D48).
  bool together = false;
  /// It is in program order with what any lane of its warp does (D48).
  bool in_warp_order = false;
  /// How a read in a loop that waits polls: before the last turn others may have read something else.
  const Polling* polls = nullptr;
  /// red: there is no result, and so no acquire pattern (8.8, D18).
  bool no_result = false;
  const Rewrites* rewrites = nullptr;  // of an atomic on one element
  /// Not 0: an atomic that leaves the same as others with this number do, whatever their order: sums of integers.
  std::uint8_t commutes = 0;
  bool may_write = false;  // a swap that fails: in another order it may succeed
  OpenSwap open_swap = OpenSwap::no;
  std::uint32_t blind = 0;  // lanes of an atomic that acquire nothing, as if no thread had been there before
  std::uint32_t path = 0;   // Paths::At::number
  /// A read whose place among the writes of its location counts (exec::Turns): one that decides, or a swap that fails.
  bool contends = false;
  /// Lanes of such a read that read what was there before the newest writes, so many of them.
  std::uint32_t passing = 0;
  std::size_t passes = 0;
  /// As `written`, of tainted lanes: two that are equal, and not 0, are of equal values. Empty: all are 0.
  std::span<const std::uint32_t> terms{};
  /// The same: the bits that rest on nothing. Empty: none do.
  std::span<const std::uint64_t> known{};

  unsigned words_of_element() const { return bytes > sizeof(std::uint64_t) ? 2 : 1; }
  /// The words of a lane.
  unsigned words() const { return elements * words_of_element(); }
  /// An element of `written`, or of `known`.
  Bits element_of(std::span<const std::uint64_t> values, unsigned lane, unsigned element) const {
    const std::size_t first = std::size_t{lane} * words() + std::size_t{element} * words_of_element();
    constexpr unsigned kWord = 64;
    return words_of_element() == 1 ? Bits{values[first]} : Bits{values[first + 1]} << kWord | values[first];
  }
};

struct Range {
  Address begin = 0;
  std::uint64_t bytes = 0;
};
constexpr bool overlap(const Range& a, const Range& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

/// What tells that an asynchronous operation has completed.
enum class Tracking : std::uint8_t {
  cp_async,    // groups of cp.async, or cp.async.mbarrier.arrive (9.7.8.24.4, 9.7.8.24.5)
  bulk_group,  // cp.async.bulk.commit_group (9.7.8.24.1)
  mbarrier,    // complete_tx on an object
  wgmma,       // wgmma.commit_group, of the warpgroup (9.7.14.7.2)
  none,        // nothing does: st.async without an mbarrier (9.7.8.12)
};

/// A phase of an mbarrier object, to which bytes count.
struct Signal {
  Address object = 0;
  Phase phase = 0;
};

/// An asynchronous copy or reduction, issued by one thread.
struct Operation {
  Site site = 0;
  Thread issuer = 0;
  isa::Proxy proxy = isa::Proxy::async;
  Tracking tracking = Tracking::mbarrier;
  Address object = 0;  // the mbarrier; of `mbarrier` alone
  Phase phase = 0;     // of the object, to which its bytes count
  std::span<const Range> reads, writes;
  bool reduces = false;  // its writes are atomics without a result
  /// Operations of one number that is not 0 write the same: copies of one source, by lanes of a warp at once.
  std::uint64_t content = 0;
  /// The signals of one destination of a multicast: where all of them are signalled. It reads once for all,
  /// so that each of these tells that its reads are over (9.7.8.24.6). Empty: `object` alone does.
  std::span<const Signal> signals{};
  Strength strength{};        // of its writes; of reductions of which nothing is said see R149
  std::uint8_t commutes = 0;  // Access::commutes
  bool through_map = false;   // a tensor copy
  std::uint8_t element = 0;   // bytes of each atomic of a bulk reduction
};

/// What a tcgen05 instruction is to the order of tensor memory (9.7.16.6.2).
enum class TensorOp : std::uint8_t { none, mma, cp, cp_4x256b, shift, ld, st, alloc, dealloc };

/// A tcgen05 instruction. Tensor memory has addresses of its own, of which each lane of a column is one.
struct TensorOperation {
  Site site = 0;
  Lanes lanes;  // all of the warp, or the one that issued it
  TensorOp op = TensorOp::none;
  std::uint8_t cta_group = 0;            // 0: none is written
  std::uint64_t product = 0;             // of an mma: equal for equal accumulators and shapes
  std::span<const Range> reads, writes;  // of tensor memory
  std::span<const Range> shared;         // that it reads by the async proxy
  std::span<const Range> unpaired = {};  // tensor memory that it reads as no operand of a pipelined pair
  std::span<const Range> shared_a = {};  // shared memory that it reads as the multiplicand A
};

/// What a tcgen05.commit tracks of what its thread has issued.
struct TensorCommit {
  std::uint8_t cta_group = 0;  // operations of this one
  /// .sync_restrict::shared::read::mma::a (PTX ISA 9.4): of those the reads of A alone.
  bool reads_of_a = false;
  friend bool operator==(const TensorCommit&, const TensorCommit&) = default;
};

/// fence.proxy.*: between the generic proxy and this one; its strength, where it has one, says in which direction.
struct ProxyFence {
  Site site = 0;
  Lanes lanes;
  isa::Proxy proxy = isa::Proxy::generic;
  Strength strength;
  isa::Space space = isa::Space::generic;  // for accesses to that state space; generic: to all
  std::span<const Address> maps;  // by lane, of the tensormap proxy: for the map there; empty: for all
  /// A one-directional fence for reads of its thread alone (.sync_restrict::shared::cluster::read).
  bool reads_only = false;
};

/// A barrier of a CTA (bar, barrier), or that of a cluster (barrier.cluster).
struct Barrier {
  std::uint32_t group = 0;  // the CTA, or the cluster
  std::uint8_t id = 0;      // 0 to 15
  friend bool operator==(const Barrier&, const Barrier&) = default;
};

/// Arrivals on an mbarrier object.
struct Arrival {
  Site site = 0;
  Thread thread = 0;
  Address object = 0;
  Phase phase = 0;  // that it counts to
  Strength strength;
  std::uint32_t count = 1;        // 0: expect_tx, complete_tx
  std::int64_t bytes = 0;         // by which it changes tx: positive for expect_tx
  bool scope_is_default = false;  // no scope was written: it is .cta (R211)
  bool no_complete = false;       // .noComplete: it must not be the last of its phase (R207)
};

/// A test_wait or try_wait.
struct Wait {
  Site site = 0;
  Lanes lanes;
  Address object = 0;
  bool by_parity = true;
  Phase expected = 0;  // parity 0 or 1; or the phase of the state that it waits for
  Strength strength;
  // and control rests on that: a result not looked at is another one in other schedules
  bool succeeded = false;
  bool scope_is_default = false;  // no scope was written: it is .cta
};

/// The last read of a loop that waits for a value of a location.
struct Await {
  Site site = 0;
  Thread thread = 0;
  Effect effect = Effect::read;
  Address at = 0;
};

/// Takes the events of one run.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Before everything else: where each warp runs, by its number.
  virtual void start(std::span<const Placement> /*warps*/) {}
  /// After start: where the shared memory of a CTA is.
  virtual void shared_memory(std::uint32_t /*cta*/, Range) {}

  /// For these threads the tasks are over, with their asynchronous operations (R232): they start after them,
  /// which is told before anything else of their task; or have waited for them by griddepcontrol.wait.
  virtual void start_behind(Lanes, std::span<const std::uint32_t> /*tasks*/) {}
  /// The same of tasks that they do not wait for: these have ended, as none of them launches dependents (R233).
  virtual void start_after_end(Lanes, std::span<const std::uint32_t> /*tasks*/) {}
  /// griddepcontrol.launch_dependents; and, before anything else of a task that may start then, which tasks executed it.
  virtual void launch_dependents(Site, Lanes) {}
  virtual void start_early(Lanes, std::span<const std::uint32_t> /*tasks*/) {}
  virtual void grid_wait(Site, Lanes, std::span<const std::uint32_t> /*tasks*/) {}

  virtual void access(const Access&) {}
  /// Bytes of which nothing but the order of coherence says which write is the last one, in some schedule another than here (8.9.6). Reads of
  /// them that are weak, or asynchronous, have a value that depends on it.
  virtual bool has_unsettled() const { return false; }
  virtual bool is_unsettled(Range) const { return false; }
  /// All such writes of the range begin where it does.
  virtual bool begins_unsettled(Range) const { return false; }
  /// A weak read of such bytes decides where its thread goes.
  virtual void decides_by_unsettled(Range) {}
  /// Instructions with swaps that fail here and may succeed elsewhere (Access::open_swap), where it would matter: their writes would
  /// race with another access, or be what a loop waits for or not.
  virtual std::map<Site, OpenSwap> deciding_swaps() const { return {}; }

  /// Before everything else, if anybody follows them; they outlive all events.
  virtual void follow(Paths&) {}
  /// The fence orders accesses of that state space (.sync_restrict); generic: all accesses.
  virtual void fence(Site, Lanes, Strength, isa::Space) {}
  virtual void proxy_fence(const ProxyFence&) {}

  /// bar.warp.sync: all the lanes wait for each other.
  virtual void warp_sync(Site, Lanes) {}
  /// elect, shfl, vote, match, redux: they meet, which orders no memory (9.7.8.6, D22).
  virtual void exchange(Site, Lanes) {}
  /// Threads arrive at a phase; those that wait leave it when it is complete, after all arrivals.
  virtual void barrier_arrive(Site, Lanes, Barrier, Phase) {}
  virtual void barrier_leave(Site, Lanes, Barrier, Phase) {}
  /// The same of barrier.cluster, whose arrivals release and whose waits acquire, unless they are relaxed.
  virtual void cluster_arrive(Site, Lanes, Barrier, Phase, isa::Semantics) {}
  virtual void cluster_leave(Site, Lanes, Barrier, Phase, isa::Semantics) {}
  /// The lanes waited for others as for an arrival, and these have exited instead: what they did before has happened, which
  /// orders no memory (8.9.5).
  virtual void exit_awaited(Lanes, std::span<const Lanes> /*exited*/) {}

  virtual void mbarrier_init(Site, Thread, Address /*object*/, std::uint32_t /*count*/) {}
  virtual void mbarrier_invalidate(Site, Thread, Address /*object*/) {}
  virtual void mbarrier_arrive(const Arrival&) {}
  /// All arrivals and all bytes of the phase are there.
  virtual void mbarrier_complete(Address /*object*/, Phase) {}
  /// Ahead of that: no thread has expected the bytes of its operations, which come later.
  virtual void mbarrier_slip(Address /*object*/, Phase) {}
  virtual void mbarrier_wait(const Wait&) {}
  /// How many phases are complete for the thread when such a wait succeeds, in all schedules; 0 of who does not know.
  virtual Phase awaited_phase(const Wait&, Thread) const { return 0; }
  /// fence.mbarrier_init.
  virtual void mbarrier_init_fence(Site, Lanes) {}

  virtual void issue(const Operation&) {}
  /// What the thread issued since its last commit becomes a group.
  virtual void commit_group(Site, Thread, Tracking) {}
  /// Until at most `pending` of its groups are not complete; `reads_only` is .read.
  virtual void wait_group(Site, Thread, Tracking, std::uint32_t /*pending*/, bool /*reads_only*/) {}
  /// cp.async.mbarrier.arrive: its arrival follows the completion of the cp.async that the thread issued before.
  virtual void cp_async_arrive(const Arrival&) {}

  /// wgmma.fence: wgmma.mma_async of the warp after it are ordered after what the lanes know here (R244).
  virtual void wgmma_fence(Site, Lanes) {}
  /// setmaxnreg, executed by the whole warp.
  virtual void registers_set(Site, Lanes) {}
  /// Each warp of a warpgroup executes them; the groups are the warpgroup's (R249, R250).
  virtual void wgmma_commit(Site, Lanes) {}
  virtual void wgmma_wait(Site, Lanes, std::uint32_t /*pending*/) {}

  virtual void tensor_issue(const TensorOperation&) {}
  /// tcgen05.wait::ld, ::st: what the warp loaded, or stored, is complete.
  virtual void tensor_wait(Site, Lanes, bool /*stores*/) {}
  /// fence::after_thread_sync, or fence::before_thread_sync.
  virtual void tensor_fence(Site, Lanes, bool /*after*/) {}
  /// The arrival of a tcgen05.commit: it follows what the thread issued before, and the commit tracks (R283).
  virtual void tensor_commit(const Arrival&, const TensorCommit&) {}

  virtual void exit(Site, Lanes) {}
  /// The lanes jump back to an instruction, as each iteration of a loop does but its last.
  virtual void jump_back(Site /*to*/, Lanes) {}

  /// A loop has been left, as it read what it waits for.
  virtual void await_left(const Await&) {}
  /// A write after that, by which the location holds what the loop would not be left for; and one by which it
  /// does again.
  virtual void awaited_gone(const Await&, Site, Thread, Range) {}
  virtual void awaited_back(const Await&) {}
  /// After everything else.
  virtual void finish() {}
};

}  // namespace ptxmc::trace

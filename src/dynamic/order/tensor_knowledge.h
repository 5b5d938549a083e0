// SPDX-License-Identifier: Apache-2.0
// What threads know of operations in tensor memory (9.7.16.6). Clocks carry along synchronization which of them are
// complete, and which stand in front of a fence::before_thread_sync; for what a thread issues, that holds from its next
// fence::after_thread_sync on. Here is what holds, by thread: clocks carry none of it.
#pragma once

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynamic/order/clock.h"

namespace ptxmc::trace {

/// alloc and dealloc are over when the thread goes on (R256).
constexpr bool is_synchronous(TensorOp op) {
  return op == TensorOp::alloc || op == TensorOp::dealloc;
}
/// Executed by a warp, not by one thread (R291).
constexpr bool is_of_warp(TensorOp op) {
  return op == TensorOp::ld || op == TensorOp::st || is_synchronous(op);
}

/// Issued by one thread, and tracked by its commits (R283).
constexpr bool is_of_tensor_core(TensorOp op) {
  return op != TensorOp::none && !is_of_warp(op);
}

/// What tells which operations it is pipelined with.
struct TensorKind {
  TensorOp op = TensorOp::none;
  std::uint8_t cta_group = 0;  // 0: none is written
  std::uint64_t product = 0;   // TensorOperation::product
  bool multiplicands = false;  // what an mma reads: A, metadata and scale factors; else its accumulator
  friend bool operator==(const TensorKind&, const TensorKind&) = default;
};
/// 9.7.16.6.2: what executes in the order of its issue, if of one .cta_group; two products if their accumulator and shape
/// are one. PTX ISA 9.4: operands, of instructions of one warp; 9.1: instructions.
bool is_pipelined(const TensorKind& first, const TensorKind& second);
bool is_pipelined_by_9_1(const TensorKind& first, const TensorKind& second);

/// What the clock says of tensor memory alone; null: nothing.
ClockRef tensor_part(const ClockRef& known);

class TensorKnowledge {
 public:
  void start(std::size_t threads);
  /// Reading tcgen05-pairs.
  void take_pairs_of_9_1(bool wanted) { of_9_1_ = wanted; }
  bool pairs_of_9_1() const { return of_9_1_; }

  // ---- Fences ------------------------------------------------------------------------------------------------
  /// fence::after_thread_sync of a thread that knows this.
  void fence(Thread thread, const ClockRef& known) { states_[thread].after = known; }
  /// What signals that the thread has seen tell, after its next fence::after_thread_sync, whatever their
  /// strength (9.7.16.6.3); null: nothing.
  ClockRef take_signals(Thread thread);
  void signal(Thread thread, const ClockRef& what);
  /// The same of arrivals at objects of other CTAs, were the scopes wide enough (A7): along OrderKind::tensor_remote.
  void signal_remote(Thread thread, const ClockRef& what);
  /// fence::before_thread_sync of a thread that knows this; what it signals from there on.
  void send(Thread thread, const ClockRef& known);
  /// A one-directional proxy fence of the thread: told by what it signals from there on, too.
  void send_fence(Thread thread, Time time);
  const ClockRef& sent(Thread thread) const { return states_[thread].sent; }
  /// Signals that the thread has seen tell of such a fence of another.
  bool heard(Thread thread, const Epoch& fence) const {
    const ClockRef& heard = states_[thread].heard;
    return heard != nullptr && heard->covers(OrderKind::directed, fence);
  }

  // ---- Own operations ----------------------------------------------------------------------------------------
  void waited(Thread thread, bool stores, Time time) { states_[thread].waited[stores ? 1 : 0] = time; }
  /// Two threads know the same of their own operations, after one fence.
  bool same(Thread a, Thread b) const {
    return states_[a].after == states_[b].after && states_[a].waited == states_[b].waited;
  }
  const ClockRef& after(Thread thread) const { return states_[thread].after; }
  Time waited(Thread thread, bool stores) const { return states_[thread].waited[stores ? 1 : 0]; }

  /// When its thread issued an operation that one thread issues: number after number of its agent.
  void note_issue(ObjectId agent, Time stamp) { stamps_[agent].push_back(stamp); }

  // ---- What comes before an operation that is issued now ------------------------------------------------------
  struct View {
    const Clock* clock = nullptr;
    Thread thread = 0;
    ClockRef behind;  // along OrderKind::tensor_done: what comes before it; null: nothing
  };
  /// It is number `time` of its agent, and comes after what all of these threads come after: a warp issues it
  /// together.
  void begin(std::vector<View> views, Time time) {
    views_ = std::move(views);
    now_ = time;
  }
  Time now() const { return now_; }

  struct Earlier {
    Thread issuer = 0;
    Epoch epoch;
  };
  /// How many operations of the agent, which its thread issues, were issued before what one does that knows this.
  Time issued_before(const Clock* known, ObjectId agent, Thread issuer) const;
  enum class Found : std::uint8_t { ordered, remote, unfenced, nothing };
  /// `piped`: the two execute in the order in which they are issued.
  Found find(const Earlier& earlier, bool piped) const;

 private:
  struct State {
    ClockRef after, sent, signals;
    ClockRef fences, heard;        // OrderKind::directed: its own, and those of signals
    std::array<Time, 2> waited{};  // of the warp's loads and stores, up to here
  };

  /// The thread knows that it has been issued, though no fence::before_thread_sync stands after it.
  bool knows_issue(const Clock& known, const Earlier& earlier) const;

  std::vector<State> states_;  // by thread
  std::unordered_map<ObjectId, std::vector<Time>> stamps_;
  std::vector<View> views_;
  Time now_ = 0;
  bool of_9_1_ = false;
};

}  // namespace ptxmc::trace

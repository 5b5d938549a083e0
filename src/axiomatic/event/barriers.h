// SPDX-License-Identifier: Apache-2.0
// bar/barrier{.cta} and bar.warp.sync operations of one control-flow path (9.7.12.1, 9.7.12.2): for the phase
// machine (sync_path.h) and for the quorums of the published PTX models. Shared with lowering, which adds the
// decisions.
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "model/relation/bits.h"
#include "support/budget.h"

namespace ptxmc::event {

/// A sync or red (with a wait) or an arrive (without) that exists on the path.
struct BarrierOperation {
  EventId arrival = kNoEvent;
  EventId wait = kNoEvent;  ///< kNoEvent: does not wait
  bool exchange = false;    ///< shfl.sync and the like: nothing is ordered
  bool reduces = false;     ///< barrier.red
  bool blocked = false;  ///< waits forever: its wait does not exist on the path (lowering for liveness only)
  ThreadId thread = 0;
  std::uint32_t object = 0;  ///< which barrier: same CTA, same instance (short form), same id; or same warp
  /// arrivals that complete a phase, in litmus threads; absent: all participants
  std::optional<Value> count;
};

/// The count of an arrival that names none: a register that holds no multiple of the warp size.
constexpr Value kNoCount = -1;

struct BarrierObject {
  std::uint32_t cta = 0;
  std::vector<ThreadId> participants;  ///< who must arrive or exit when no count is given, ascending
};

struct BarrierPath {
  std::vector<BarrierOperation> operations;  ///< in event order, hence in program order per thread
  std::vector<BarrierObject> objects;
  std::vector<bool> ends;  ///< per thread: it comes to its end, and exits then; always but for liveness
};

/// The thread's regular end, rather than the mark of one that spins forever.
bool is_thread_end(const ProgramGraph& graph, EventId e);

/// The expression "these two name the same barrier", given that instance and CTA agree.
Expr same_barrier_id(ExprPool& pool, const Barrier& a, const Barrier& b);

/// The CTAs of a pair meet there, by tcgen05.alloc and the like (R285, R291): the n-th time of the one is the n-th of the other.
inline bool of_pair(const Barrier& barrier) {
  return barrier.exchange && !barrier.warp;
}

/// Same CTA and same kind of name: whether the barriers are one is then a matter of ids.
bool may_be_one_barrier(const ProgramGraph& graph, const Event& a, const Event& b);

/// Operations under an assignment; nothing when the assignment contradicts itself (a = b, b = c, a != c).
std::optional<BarrierPath> barrier_path(const ProgramGraph& graph, const Assignment& assignment);

/// Decisions that the guards, ids and counts of barrier events depend on, ascending.
std::vector<std::uint32_t> barrier_decisions(const ProgramGraph& graph);

/// Values of a relation that is enumerated, path by path.
struct Alternatives {
  std::vector<relation::BitMatrix> values;
  bool complete = true;  ///< false: there are more than can be listed; these are some of them
};

/// Every value of `quorum` (barrier_quorum.cpp): arrival -> wait; at most kMaxBarrierAlternatives.
Alternatives quorum_alternatives(const ProgramGraph& graph, const Assignment& assignment,
                                 const Budget& budget = {});

constexpr std::size_t kMaxBarrierAlternatives = 20000;

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// The synchronization operations of one control-flow path: bar, bar.warp.sync, barrier.cluster, mbarrier, and
// the asynchronous operations that signal an mbarrier (9.7.12.1 to 9.7.12.3, 9.7.12.15, 8.9.1.1). What the
// phase machine runs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::event {

using OperationId = std::uint32_t;
using ObjectId = std::uint32_t;
constexpr OperationId kNoOperation = ~OperationId{0};
constexpr ObjectId kNoObject = ~ObjectId{0};

enum class SyncKind : std::uint8_t {
  barrier,  ///< bar: an arrival, then a wait if `wait` is an event or the operation is blocked
  cluster_arrive,
  cluster_wait,
  init,
  inval,
  change,  ///< of pending and tx-count: arrive, arrive_drop, expect_tx, complete_tx; a signal of an operation
  wait,    ///< test_wait, try_wait that returned true
  fails,   ///< test_wait that returned false
  issue,   ///< of an asynchronous operation that signals
};

struct SyncOperation {
  SyncKind kind = SyncKind::change;
  EventId event = kNoEvent;  ///< the arrival, the wait ...; of a blocked wait: its `end` event
  EventId wait = kNoEvent;   ///< barrier: the wait event
  bool exchange = false;     ///< barrier: shfl.sync and the like, which order nothing (D22)
  bool reduces = false;      ///< barrier: barrier.red
  bool blocked = false;      ///< waits forever (lowering for liveness only)
  ThreadId thread = 0;
  ObjectId object = kNoObject;
  std::optional<Value> count;   ///< barrier: arrivals that complete a phase, absent: all participants; init
  Value arrivals = 0;           ///< change: taken from the pending count
  Value tx = 0;                 ///< change: added to the tx-count, negative for complete-tx
  bool drop = false;            ///< change: the expected count of later phases is lowered too
  bool no_complete = false;     ///< change: must not complete the phase
  bool synchronizes = false;    ///< change: an arrival or signal, rather than a mere count
  std::optional<Value> seen;    ///< change: the pending count must be this before it
  std::optional<Value> parity;  ///< wait
  OperationId token = kNoOperation;   ///< wait on a state: the arrival that returned it; none: a wrong one
  OperationId issued = kNoOperation;  ///< change by a signal: the issue, any time after which it happens
  std::vector<std::pair<ObjectId, Value>> increments;  ///< issue: added to pending counts (R210)
};

enum class ObjectKind : std::uint8_t { barrier, cluster, mbarrier };

struct SyncObject {
  ObjectKind kind = ObjectKind::barrier;
  /// barrier without a count, cluster: who must arrive or exit, ascending
  std::vector<ThreadId> participants;
  std::optional<Value> count;  ///< mbarrier that is initialised before the start: arrivals
};

struct SyncPath {
  std::vector<SyncOperation> operations;  ///< in event order, hence in program order per thread
  std::vector<SyncObject> objects;
  std::vector<bool> ends;     ///< per thread: it comes to its end, and exits then; always but for liveness
  bool some_blocked = false;  ///< a thread waits forever
};

/// The operations that exist under an assignment; nothing when the assignment contradicts itself.
std::optional<SyncPath> sync_path(const ProgramGraph& graph, const Assignment& assignment);

/// Decisions that the operations depend on, ascending.
std::vector<std::uint32_t> sync_decisions(const ProgramGraph& graph);

/// The value that an mbarrier.arrive returns: it names the arrival, and is no address.
constexpr Value arrival_state(EventId arrival) {
  return 0x4d42000000000000 + static_cast<Value>(arrival);  // "MB"
}
/// The same in a graph whose events may have got other numbers (reorder.h).
Value state_of(const ProgramGraph& graph, EventId arrival);

/// What must not be done with a synchronization object (9.7.12.3, 9.7.12.15).
enum class SyncMisuse : std::uint8_t {
  invalid_object,     ///< R193: an operation after mbarrier.inval
  live_object,        ///< R194: mbarrier.init of an object that is in use
  pending_underflow,  ///< R195: more arrivals than the phase has pending
  pending_overflow,   ///< R195
  tx_overflow,        ///< R195
  no_expected,        ///< R195: arrive_drop by more than is expected
  completes,          ///< R207: a .noComplete completes the phase
  old_phase,          ///< R217, R223: a state of neither the current nor the preceding phase
  wrong_state,        ///< R223: no state of this object
  wrong_parity,       ///< R217: neither 0 nor 1
  arrives_twice,      ///< R175: two barrier.cluster.arrive without a wait between them
  no_count,           ///< R163: a bar whose thread count is no positive multiple of the warp size
  counts_differ,      ///< R163: arrivals of one phase of a bar that name different thread counts
  arrives_again,      ///< R170: a second arrival of a thread at a bar that is not complete yet
  kinds_differ,       ///< R170: barrier.red meets barrier.sync or barrier.arrive
};
/// "more arrivals than the phase has pending", for messages.
std::string describe(SyncMisuse misuse);

/// `none`: every interleaving of all threads is tried, and states keep all that happened; for tests.
enum class SyncReductions : std::uint8_t { none, all };

}  // namespace ptxmc::event

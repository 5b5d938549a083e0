// SPDX-License-Identifier: Apache-2.0
// Liveness: what an execution in which a thread waits forever is, and which thread waits for what in it.
//
// The program graph (axiomatic/lower/finish/liveness.h) has such executions only. What the memory model adds is *progress of
// memory*: a read that is repeated forever does not return the same old value forever when a newer write
// must become visible to it. Chapter 8 of the manual has no axiom of progress. It says of weak accesses that
// their effects become visible to other threads only when synchronization is established by other means
// (9.7.8.8, 9.7.8.11), and volatile ones are relaxed ones (8.4). So the axiom is
//
//     empty spin; (fr & ms) as Progress
//
// a read of an idle turn reads from a write with no coherence-later write that is morally strong with the
// read. Writes that synchronization makes visible are the business of the Causality axiom: a stale read after
// it is inconsistent anyway. Consequences: a flag set by a weak store, polled by weak loads, or released in a
// scope that does not include the poller, may be missed forever. It is the *write* that counts, not its
// value: a lock that is given back and taken again stores the value of before, and a thread that read the old
// write has still not progressed. A read may stay with any of several coherence-maximal writes (a race). A
// model text without the role moral-strength gets `empty spin; fr` (the published rule of Dat3M's liveness
// checks),
// one that speaks of `spin` itself gets neither this nor the next one. PTX ISA 9.3 promises more (8.6.1): a strong write comes to be
// seen through another proxy, too. What a text has for the role visibility stands in place of moral strength.
//
// An order that is determined at runtime (Fence-SC, 8.9.3) has finitely many events before each: a fence that
// is repeated forever comes behind every fence that is not.
//
//     empty (spin; sc) \ (spin; sc; spin^-1; spin) as Progress
//
// That the two turns that stand for infinitely many (axiomatic/lower/flow/idle_turns.cpp) read the same writes is an axiom too:
//
//     empty (rf; spin) \ rf as Repetition
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/event/sync_runs.h"

namespace ptxmc::check {

/// The model with the axiom of progress.
relation::MemoryModel with_progress(const relation::MemoryModel& model, const relation::Signature& signature);

/// What becomes of a thread.
enum class Fate : std::uint8_t {
  ended,
  waits,        ///< forever, at a barrier or in a loop
  stopped,      ///< the progress model lets the scheduler leave it
  not_started,  ///< the same, before it does anything
};

/// Why what is awaited does not come.
enum class Absence : std::uint8_t {
  waits,        ///< its thread waits forever itself
  stopped,      ///< its thread is not scheduled any more
  not_started,  ///< its thread is never scheduled
  ended,        ///< its thread ended without it
  invisible,  ///< the write is done; it is not morally strong with the read, so need not become visible to it
  races,      ///< the write is done; no coherence order relates it to the one that is read
};

struct Awaited {
  event::ThreadId thread = event::kNoThread;
  event::EventId event = event::kNoEvent;  ///< kNoEvent: an arrival that its code does not have
  Absence absence = Absence::waits;
};

struct Wait {
  event::Hang::Kind kind = event::Hang::Kind::spin;
  event::ThreadId thread = event::kNoThread;
  Position position;                        ///< of the loop's header or the barrier instruction
  event::EventId event = event::kNoEvent;   ///< spin: a read of the turn, kNoEvent when it reads nothing;
                                            ///< barrier: the arrival; phase: the `end` event of the wait
  event::EventId source = event::kNoEvent;  ///< spin: the write that it reads forever
  std::optional<event::Value> count;  ///< barrier: how many arrivals complete it; nothing: all of its threads
  std::vector<Awaited> awaited;       ///< empty: nothing in the program would end the wait
  std::optional<event::StuckPhase> phase = std::nullopt;  ///< phase of an mbarrier: what it lacks
  /// Barrier: the arrivals of the phase that never completes, this one among them, and how many of its
  /// `expected` ones are threads that ended.
  std::vector<event::EventId> arrived = {};
  std::size_t ended = 0, expected = 0;
};

struct Standstill {
  std::vector<Wait> waits;  ///< by thread; one for each read of a spin loop's turn
  std::vector<Fate> fates;  ///< per thread
};

/// Who waits for what in an execution of a graph that was lowered for liveness; `query` has the model with
/// progress.
Standstill explain_standstill(const engine::Query& query, const event::Execution& execution);

}  // namespace ptxmc::check

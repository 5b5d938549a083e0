// SPDX-License-Identifier: Apache-2.0
// Lowering for liveness: a graph whose executions are those in which somebody waits for ever.
//
// An infinite execution is represented by a finite one. Memory is finite and, in the executions that matter,
// so is the number of writes: a thread that loops for ever without a lasting effect is represented by one
// more turn of its loop, the *idle* turn, after which nothing of it follows (stuck.cpp). Two things tell such
// an execution from one that a thread would leave. First, the reads of the idle turn must be able to return
// the same values for ever: a model axiom over the base relation `spin` says so (check/liveness.h). Second,
// nobody who could still run has stopped. Turns that change nothing may be dropped anywhere else: what is
// left of a consistent execution is consistent.
//
// A barrier blocks for ever or it does not: an execution chooses (an *oracle*), and the barrier machine
// admits the choice where the phase never completes. A thread comes to its end, spins, blocks or, where the
// progress model does not guarantee it, stops. Points at which it may stop lie before writes, atomics and
// barrier arrivals: nobody waits for anything else.
//
// Progress models (T. Sorensen et al., OOPSLA 2016 and CONCUR 2018), in terms of PTX:
//   fair  everybody is scheduled.
//   obe   what has started is scheduled fairly; what has not may wait for ever for room, while somebody else takes it
//         up for ever: an idle GPU starts something. A cluster starts as a whole (its CTAs are co-scheduled), and so
//         does a CTA.
//   hsa   only the first CTA of each GPU that has not ended is scheduled for certain, in the order of the threads'
//         numbers; others may stop anywhere.
// Host threads are always scheduled.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "event/program_graph.h"
#include "lower/lower.h"

namespace ptxmc::lower {

struct Unit;

/// A choice of the scheduler, independent of memory. Represented by the initial value of a cell of its own,
/// which nobody reads.
struct OracleKey {
  enum class Kind : std::uint8_t { start, stop, wait, query, poll, pending, active, leader };
  Kind kind = Kind::start;
  std::uint32_t number = 0;  ///< cluster, thread, or the number of the operation
  std::uint32_t mask = 0;    ///< leader: elected among these lanes of the warp of thread `number`
  friend auto operator<=>(const OracleKey&, const OracleKey&) = default;
};

/// Oracles by key, with their largest value. The first run over the threads finds them, the second uses them.
using OraclePlan = std::map<OracleKey, event::Value>;

class Oracles {
 public:
  /// Adds the events that make the choices of `plan`; then no others may be asked.
  void add(Unit& unit, const OraclePlan& plan);
  /// "The oracle's value is `value`."
  event::Expr is(Unit& unit, OracleKey key, event::Value value);
  const OraclePlan& asked() const { return asked_; }

 private:
  event::EventId add(Unit& unit, OracleKey key, event::Value largest);

  std::map<OracleKey, event::EventId> events_;
  OraclePlan asked_;
  bool fixed_ = false;
};

/// May the progress model leave a thread before its end? (hsa: not in the first CTA of a GPU, nor on the
/// host.)
bool may_stop(const event::ProgramGraph& graph, event::ThreadId thread);

/// The barriers of the thread do not wait for ever: that is known before its lowering.
inline bool passes(const Options& options, event::ThreadId thread) {
  return options.all_pass || (thread < options.passing.size() && options.passing[thread]);
}

/// Threads whose barriers wait for ever in no run, whatever the schedule and all values: what they and all whom they
/// may meet do there hangs on nothing, and the phase machine finds no run that stays. `graph`: lowered for liveness
/// with Options::all_pass.
std::vector<bool> passing_threads(event::ProgramGraph graph, const Budget& budget);

/// The proposition "somebody waits for ever", which every execution is to satisfy; and whether a bound was
/// hit.
void finish_liveness(Unit& unit);

}  // namespace ptxmc::lower

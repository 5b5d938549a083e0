// SPDX-License-Identifier: Apache-2.0
// Idle turns of loops: where a thread stays forever (finish/liveness.h has the theory).
//
// A turn is *idle* when the thread is, at its end, where and as it was at its beginning: the registers that
// the loop (or what follows it) reads have their old values (but for those that only say how long a turn takes),
// it arrived at no barrier, and it wrote nothing, or only atomics that store the value that they read (an exchange
// of 1 for 1 while the lock is taken, a failed cas, an add of 0). Such an atomic leaves no trace that others
// could wait for: a thread that reads from it may as well read from the write before it, so on the idle path
// it is a read only. A plain store of an equal value is not idle: other writes may lie between. An idle turn
// may be repeated forever; it may also be dropped, so a loop whose turns are all idle needs no bound. Turns
// that are not idle are unrolled, and a bound that cuts one leaves the answer open.
//
// Reads that one idle turn can return need not be what the next can: a turn that reads data and then takes
// the flag that publishes them has stale data once. So a turn that repeats stands there twice, and each read
// returns the same write both times (axiomatic/question/liveness.h: an axiom). Twice is enough: what a third turn knows,
// the second knew. And where a thread spins forever, some choice of writes comes back without end (there are
// finitely many), and the turns between two of its appearances may be dropped.
#pragma once

#include <map>
#include <vector>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

class IdleTurns : ThreadContext {
 public:
  IdleTurns(const ThreadContext& context, Progress& progress) : ThreadContext(context), progress_(progress) {}

  /// At a jump back to the header of `loop`: the paths on which the turn was idle stay there forever.
  void repeat(std::size_t loop, State& state);

  /// The same where it is not asked which threads stay forever: the paths on which the turn was idle are
  /// left out, of a loop that shows what its idle turns may race with (unit/fresh_turns.h).
  void drop(std::size_t loop, State& state);

 private:
  const Iteration* turn_of(std::size_t loop, const State& state) const;
  bool changes_memory(std::size_t first, const State& state) const;
  Expr idle(const Iteration& turn, const State& state);
  const std::vector<char>& delay_in(std::size_t loop);
  void repeat_events(std::size_t first, event::Hang& hang);
  EventId add_copy(EventId e, Expr guard);

  std::map<std::size_t, std::vector<char>> delays_;  // by loop
  std::vector<EventId> repetitions_;                 // second turns of idle ones
  Progress& progress_;
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// Where the thread may stay forever but for loops (finish/liveness.h): before it starts, where the progress model
/// leaves it, and at barriers.
class Progress : ThreadContext {
 public:
  explicit Progress(const ThreadContext& context) : ThreadContext(context) {}

  /// The guard of the thread's beginning. obe: its cluster has started.
  Expr started();
  /// Paths on which `condition` holds go no further. `except`: a loop whose turn is over.
  void hold(State& state, Expr condition, std::optional<std::size_t> except);
  /// hsa: a thread that is not guaranteed may stop before what another one may wait for: whatever acts on memory or
  /// on barriers, and what lanes do together.
  void stop_before(const Instruction& instruction, State& state);
  /// The exit of a thread completes barriers without a count, too (9.7.12.1, 9.7.12.3).
  void stop_before_end(State& state);
  /// A barrier operation that waits may wait forever.
  void block(const Instruction& instruction, State& state, EventId arrival, EventId wait);
  /// A wait that may wait forever: then an `end` event stands for it, which carries its operands.
  void block_wait(Event wait, State& state);

 private:
  void hold_blocked(State& state, Expr guard, Expr blocks);
  void stop_here(State& state);
  Expr waits_for_ever(Expr guard);

  event::Value stop_points_ = 0;
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Control flow: forward symbolic execution of the unrolled program, in topological order.
//
// Paths that reach one place of the unrolled program are merged: guards by disjunction, registers by a choice
// on the condition that tells the paths apart. So every instruction of the unrolled program is executed once,
// and its events carry the guard under which it is reached. A jump backwards starts the next turn of its
// loop. When all of a turn reaches the jump (no decision left the loop) the loop's exit has folded to a
// constant, and it goes on; otherwise the bound applies, and the paths beyond it are assumed away and
// reported (ProgramGraph::cut). Cost: one step per instruction of the unrolled program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "axiomatic/lower/families/calls.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/instructions.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/spin_turn.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/wgmma_registers.h"
#include "axiomatic/lower/flow/idle_turns.h"
#include "axiomatic/lower/flow/membermasks.h"
#include "axiomatic/lower/flow/spin.h"

namespace ptxmc::lower {

/// Walks the paths through the code of one thread.
class PathWalker : ThreadContext {
 public:
  PathWalker(Unit& unit, event::ThreadId thread);
  PathWalker(const PathWalker&) = delete;
  PathWalker& operator=(const PathWalker&) = delete;

  /// Appends the thread's events to the graph, its END event last; returns the final registers, as the analysis of the
  /// body numbers them; none: the thread never ends.
  std::vector<Typed> run();

 private:
  /// A place in the unrolled program: (begin, trip) of each enclosing loop, then the instruction. The
  /// lexicographic order of keys is a topological order of the unrolled program.
  using Key = std::vector<std::uint32_t>;

  State start();
  void add_end(Expr ends);
  void step(std::size_t at, State&& state);
  bool begin_turns(std::size_t at, State& state);
  std::uint32_t spin_turn_of(std::size_t loop) const;
  void branch(std::size_t at, State&& state, Expr condition);
  bool exchange_by_masks(std::size_t at, const State& state);
  void go(std::size_t from, std::size_t to, State&& state, Expr condition);
  std::optional<std::size_t> loop_of_jump(std::size_t from, std::size_t to) const;
  void arrive(std::size_t to, State&& state, std::optional<std::size_t> again);
  std::uint32_t bound(const Iteration& turn, const State& state) const;
  bool forgets(std::size_t loop) const;
  bool leaves_out_idle(std::size_t loop) const;
  bool enough(const Iteration& turn);
  bool counts(std::size_t loop, const State& state) const;
  State merge(std::vector<State> incoming);

  Registers registers_{*this};
  WgmmaRegisters wgmma_{*this};
  Calls calls_{*this};
  Progress progress_{*this};
  SpinTurn spin_turn_;
  Instructions instructions_{*this, progress_, spin_turn_};
  SpinLoops spin_loops_{*this, instructions_, spin_turn_};
  IdleTurns idle_turns_{*this, progress_};
  Membermasks membermasks_{*this};
  std::vector<bool> spins_;  // per loop: still taken for a pure spin loop
  std::map<Key, std::vector<State>> pending_;
  std::size_t steps_ = 0;
};

}  // namespace ptxmc::lower

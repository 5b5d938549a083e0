// SPDX-License-Identifier: Apache-2.0
// Loops of a thread's code, as intervals of instructions, and which of them only spin.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ptx/flow/jumps.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

/// The turn of a pure spin loop that leaves it.
struct Spin {
  std::size_t exit = 0;           ///< the instruction that leaves the loop
  std::vector<std::size_t> turn;  ///< those before it that matter
};

/// Instructions begin..end, the last of which jumps back to begin (unless the loop was extended to contain
/// another). Intervals are nested or disjoint; two may share their begin when the inner one is a pure spin
/// loop.
struct Loop {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<Spin> spin;  ///< nothing: it does not only spin
  bool retries = false;      ///< a compare-and-swap, until it succeeds
  bool fresh = false;        ///< turns before the last may be dropped (fresh_turns.h)
  bool idles = false;        ///< those that change nothing may be (fresh_turns.h)
};

struct CodeLoops {
  std::vector<Loop> loops;  ///< outer before inner
  /// per instruction (and one for the end): loops, outer first
  std::vector<std::vector<std::size_t>> enclosing;
};

/// `observed`: registers that may be read when the thread has ended.
CodeLoops find_loops(const std::vector<program::Instruction>& code, const std::vector<flow::Jump>& jumps,
                     const std::set<std::string>& observed);

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Loops of a thread's code, as intervals of instructions, and which of them only spin.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace ptxmc::lower {

/// Where an instruction may go: `target` of a jump, nothing for others; falls_through: also, or only, to the
/// next one.
struct Flow {
  std::optional<std::size_t> target;
  bool falls_through = true;
};

/// Instructions begin..end, the last of which jumps back to begin (unless the loop was extended to contain
/// another). Intervals are nested or disjoint; two may share their begin when the inner one is a pure spin
/// loop.
struct Loop {
  std::size_t begin = 0;
  std::size_t end = 0;
  /// The instruction that leaves a pure spin loop; nothing for other loops.
  std::optional<std::size_t> spin_exit;
};

struct CodeLoops {
  std::vector<Loop> loops;  ///< outer before inner
  std::vector<std::vector<std::size_t>>
      enclosing;  ///< per instruction (and one for the end): loops, outer first
};

CodeLoops find_loops(const std::vector<program::Instruction>& code, const std::vector<Flow>& flow);

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Basic blocks of a thread's code, and its natural loops (A. Aho et al., Compilers, 9.6).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::lower {

constexpr std::size_t kNoBlock = ~std::size_t{0};

/// Instructions begin .. end - 1, of which the last alone may jump.
struct CodeBlock {
  std::size_t begin = 0, end = 0;
  std::size_t target =
      kNoBlock;  ///< of the jump; a block that only jumps on is replaced by the one that it leads to
  std::size_t next =
      kNoBlock;  ///< where control falls through to, in the same way; kNoBlock: the thread ends
  bool reachable = false;
};

struct NaturalLoop {
  std::size_t header = 0;
  std::vector<char> holds;             ///< by block
  std::vector<std::size_t> jump_back;  ///< blocks that do, to the header
  std::size_t parent = kNoBlock;       ///< the loop around it
};

struct ControlFlow {
  std::vector<CodeBlock> blocks;  ///< in the order of the text, the first of which is the entry
  std::vector<NaturalLoop> loops;
  std::vector<std::size_t> innermost;  ///< loop, by block; kNoBlock: none
};

/// Nothing: a label is unknown or stands twice, jumps have conditions of their own, or a loop has several entries.
std::optional<ControlFlow> control_flow(const std::vector<program::Instruction>& code);

}  // namespace ptxmc::lower

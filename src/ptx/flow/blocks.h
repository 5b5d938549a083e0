// SPDX-License-Identifier: Apache-2.0
// Basic blocks of a body, and its natural loops.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ptx/flow/jumps.h"

namespace ptxmc::flow {

/// Instructions begin .. end - 1, of which the last alone may jump.
struct CodeBlock {
  std::size_t begin = 0, end = 0;
  /// of the jump; a block that only jumps on is replaced by the one that it leads to
  std::size_t target = kNowhere;
  /// where control falls through to, in the same way; kNowhere: the thread ends
  std::size_t next = kNowhere;
  bool reachable = false;
};

struct BlockLoop : NaturalLoop {
  std::size_t parent = kNowhere;  ///< the loop around it
};

struct Blocks {
  std::vector<CodeBlock> blocks;  ///< in the order of the text, the first of which is the entry
  std::vector<BlockLoop> loops;
  std::vector<std::size_t> innermost;  ///< loop, by block; kNowhere: none
};

/// Nothing: a label is unknown or stands twice, jumps have conditions of their own, or a loop has several entries.
std::optional<Blocks> blocks_of(const Code& code);

}  // namespace ptxmc::flow

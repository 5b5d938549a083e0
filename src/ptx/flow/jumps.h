// SPDX-License-Identifier: Apache-2.0
// Where control goes on to from each instruction of a body, by its labels.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ptx/flow/graph.h"
#include "ptx/program/program.h"

namespace ptxmc::flow {

using Code = std::vector<program::Instruction>;

/// From one instruction. The end of the code, which is where threads end, counts as one more.
struct Jump {
  std::optional<std::size_t> target;  ///< of a jump, or the end; nothing: it does not jump
  bool falls_through = true;          ///< also, or only, to the next instruction
};

struct Jumps {
  std::vector<Jump> of;                 ///< by instruction
  std::optional<std::size_t> repeated;  ///< the first instruction with a label that stands twice
  /// the first jump to a label that stands nowhere: it does not jump here
  std::optional<std::size_t> astray;
};
Jumps jumps_of(const Code& code);

/// The instructions that may follow each, and the end.
Graph successors(const std::vector<Jump>& jumps);

}  // namespace ptxmc::flow

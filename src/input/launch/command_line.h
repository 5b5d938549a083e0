// SPDX-License-Identifier: Apache-2.0
// A launch as a command line says it: `--entry K --grid 2 --block 64 --arg buffer:4M --arg 4096`.
#pragma once

#include <string>
#include <vector>

#include "input/launch/launch.h"

namespace ptxmc::launch {

/// The options, as words.
struct Words {
  std::string entry = {}, grid = {}, block = {}, cluster = {}, shared = {};
  std::vector<std::string> arguments = {};
  bool cooperative = false;

  /// Does the command line say what to launch?
  bool any() const {
    return !entry.empty() || !grid.empty() || !block.empty() || !cluster.empty() || !shared.empty() ||
           !arguments.empty() || cooperative;
  }
};

/// An argument is a number; [NAME=]buffer:SIZE[:zero|opaque], the address of new memory (opaque: anything may be in
/// it); NAME[+OFFSET], an address in a buffer that an argument has named; [NAME=]multicast:MEMORY,MEMORY.., a multimem
/// address of such buffers, or of new ones of SIZE[:zero|opaque]; tensor:MEMORY:TYPE:DIMS:BOX[:strides=..]
/// [:steps=..][:swizzle=N][:atom=N][:interleave=N][:fill=nan], a tensor map, MEMORY being such an address or the SIZE of new memory,
/// the innermost dimension first (64x8); or blob:SIZE[,OFFSET=FIELD...], zeroed bytes and what is in them: TYPE:NUMBER,
/// buffer:SIZE[:zero|opaque], tensor:... or NAME[+OFFSET]. Sizes may end in K, M or G. Throws InputError.
Plan read_words(const Words& words);

}  // namespace ptxmc::launch

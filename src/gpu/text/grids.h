// SPDX-License-Identifier: Apache-2.0
// Where the threads of a test sit in grids: from placements to CTAs, warps and lanes of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/text/thread_text.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// A litmus thread in its grid.
struct Seat {
  std::size_t thread = 0;  ///< index in Test::threads
  unsigned cta = 0;        ///< %ctaid.x
  unsigned first = 0;      ///< %tid.x of its first lane
  unsigned count = 1;      ///< lanes that run it: 1, 32 or 128
  Lanes lanes = Lanes::leader;
};

/// One launch: the device threads of one kernel (or of the test) on one GPU. Blocks have one dimension.
struct Grid {
  std::optional<std::uint32_t> kernel;  ///< index in Test::kernels
  int gpu = 0;
  unsigned ctas = 1;         ///< a multiple of `cluster`
  unsigned cluster = 1;      ///< CTAs a cluster
  unsigned cta_threads = 1;  ///< a multiple of 32
  std::vector<Seat> seats;   ///< in the order of the text
};

/// Clusters of fewer CTAs than the largest of their grid are filled up with empty ones. Throws InputError.
std::vector<Grid> plan_grids(const Facts& facts);

}  // namespace ptxmc::gpu

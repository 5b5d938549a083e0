// SPDX-License-Identifier: Apache-2.0
// In which iterations of the loops around them two accesses of a run are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bridge/extract/slice.h"

namespace ptxmc::extract {

/// The later access is so many iterations after the first one, each counted by its own thread.
struct Iterations {
  std::int64_t later = 0;  // negative: its thread is in an earlier iteration
  bool outer = false;      // the loop is one around the innermost loop that both are in
  friend bool operator==(const Iterations&, const Iterations&) = default;
};

/// Counts the iterations of the outermost loop in which they differ. `loops`: the first instructions of the loops that both accesses
/// are in, from the outermost loop inwards. Nothing: both are in the same iterations, or that is not known.
std::optional<Iterations> iterations_between(const Log& log, const Ends& ends,
                                             std::span<const trace::Site> loops);
/// The same of all these, where that is one answer.
std::optional<Iterations> iterations_between(const Log& log, std::span<const Ends> all,
                                             std::span<const trace::Site> loops);

}  // namespace ptxmc::extract

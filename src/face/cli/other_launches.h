// SPDX-License-Identifier: Apache-2.0
// Launches like a given one: what holds there and here is less likely to rest on sizes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "input/launch/launch.h"

namespace ptxmc::cli {

struct LaunchVariant {
  std::string name;  ///< after "with": "blocks of 256 threads"
  std::function<void(launch::Plan&)> change;
};

/// Twice the threads of a block, one more block, one more of what an argument counts, and contents in another order. Buffers grow with
/// them. A kernel need not take each.
std::vector<LaunchVariant> launch_variants(const launch::Plan& plan);

}  // namespace ptxmc::cli

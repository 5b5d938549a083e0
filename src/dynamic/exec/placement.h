// SPDX-License-Identifier: Apache-2.0
// Threads of a program to warps, CTAs, clusters and tasks of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::exec {

struct PlacedWarp {
  std::uint32_t cta = 0;
  std::vector<const program::Thread*> lanes;  // by lane; null: none
};
struct PlacedCta {
  std::uint32_t gpu = 0, cluster = 0, task = 0, rank = 0;
  int number = 0;  // in its grid; of one that is not named the largest
  std::vector<std::uint32_t> warps;
};
/// A task, and those that are over when it starts, or when one of its threads has waited for its prerequisites.
struct PlacedTask {
  std::vector<std::uint32_t> at_start, at_wait;
  // all of `at_wait`, if none launches dependents: it starts after their ends (R233)
  std::vector<std::uint32_t> ended;
};
struct Placed {
  std::vector<PlacedWarp> warps;
  std::vector<PlacedCta> ctas;
  std::vector<std::vector<std::uint32_t>> clusters;  // their CTAs
  std::vector<PlacedTask> tasks;                     // in an order in which they may run
};

/// Throws InputError for threads of the host, and what program::plan_tasks refuses.
Placed place(const program::Program& program);

}  // namespace ptxmc::exec

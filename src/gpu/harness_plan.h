// SPDX-License-Identifier: Apache-2.0
// How the threads of a test are dealt out to the threads of a persistent kernel's CTAs; internal to
// harness.h.
#pragma once

#include <string>
#include <vector>

#include "gpu/facts.h"
#include "gpu/grids.h"
#include "gpu/harness.h"

namespace ptxmc::gpu {

/// Litmus threads that share a warp, or one that does not: `lanes` GPU threads play it for each instance.
struct Unit {
  unsigned part = 0;   ///< litmus cluster
  unsigned rank = 0;   ///< CTA in its cluster
  unsigned lanes = 1;  ///< a power of two
  unsigned first = 0;  ///< thread of the CTA; instances x lanes of them follow each other
  std::vector<Seat> seats;
};

/// A variable and where an instance has it.
struct Cell {
  const litmus::Variable* variable = nullptr;
  unsigned place = 0;  ///< global: its number; shared: bytes from the instance's start
};

struct Plan {
  Grid grid;
  unsigned parts = 1;
  bool wide = false;       ///< units are whole warps
  bool dedicated = false;  ///< Harness::dedicated
  bool cluster_barriers = false;
  unsigned instances = 0;
  unsigned threads = 0;  ///< of a CTA
  std::vector<Unit> units;
  std::vector<Cell> globals, shareds;
  unsigned shared_bytes = 0;  ///< of one instance in one CTA
  unsigned stride = 0;

  unsigned parts_at_once() const { return dedicated ? 1 : parts; }
  /// Of a CTA: all instances, both halves.
  unsigned shared_total() const { return parts_at_once() * 2 * instances * shared_bytes; }
};

/// Throws InputError for tests that the harness cannot run.
Plan plan_harness(const Facts& facts, const HarnessOptions& options);
/// The same for each GPU of a test, by the numbers of the GPUs: all have as many instances a block, and are
/// wide when one is. `one_instance`: a block is one instance. Host threads are left out.
std::vector<Plan> plan_system(const Facts& facts, const HarnessOptions& options, bool one_instance);

/// One for each kernel of a test that states them, in their order: with as many instances a block each. The
/// same errors.
std::vector<Plan> plan_kernels(const Facts& facts, const HarnessOptions& options);

}  // namespace ptxmc::gpu

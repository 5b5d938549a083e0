// SPDX-License-Identifier: Apache-2.0
// How the threads of a test are dealt out to the threads of a persistent kernel's CTAs; internal to
// harness.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/harness/harness.h"
#include "gpu/text/facts.h"
#include "gpu/text/grids.h"

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
  const program::Variable* variable = nullptr;
  unsigned place = 0;  ///< global: its number; shared: bytes from the instance's start
};

/// What a further name is.
enum class NameKind : std::uint8_t {
  mapping,   ///< its place in another mapping of the memory
  constant,  ///< its place in constant memory
  texture,   ///< a texel of the memory
};

/// A further name of a global variable.
struct AliasCell {
  const program::Variable* variable = nullptr;
  const program::Variable* root = nullptr;
  NameKind kind = NameKind::mapping;
  unsigned mapping = 0;  ///< of the memory, from 1
};

/// A tensor map in global memory.
struct MapCell {
  const program::Variable* variable = nullptr;
  unsigned place = 0;
  std::optional<unsigned> tensor;  ///< number of the variable that it names; nothing: the test makes the map
  std::optional<unsigned> pristine;  ///< number of the copy that resets it; nothing: nothing changes it
  bool changes() const { return pristine || !tensor; }
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
  unsigned rows = 0;  ///< places in global memory: of variables, and of the maps' copies
  std::vector<AliasCell> aliases;
  unsigned mappings = 1;         ///< Harness::mappings
  std::size_t window_bytes = 0;  ///< Harness::window_bytes
  std::vector<MapCell> maps;

  unsigned parts_at_once() const { return dedicated ? 1 : parts; }
  /// The shared memory of a CTA: all instances, both halves.
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

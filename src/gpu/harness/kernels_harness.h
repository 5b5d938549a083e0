// SPDX-License-Identifier: Apache-2.0
// A PTX module and a host program that run a test with several kernels many times.
//
// The module has an entry for each kernel of the test, which runs that kernel's threads for all instances of
// a round, and an entry that evaluates the round, resets memory, and moves on to the next. Instances, their
// places and their outcomes are as in the persistent kernel (harness.h); here the kernels of a round are
// launched by the host, as the test says (host/program.h), once for thousands of instances.
//
// The parameters of all entries are the same throughout a run, so that graphs need no updates: what changes
// lies in memory (RoundState). A kernel acquires it before its threads run: a programmatic launch may start
// before anything else orders it behind the last evaluation.
//
// In every other round (as drawn), the CTAs of kernels that may run beside each other wait for each other's
// start, as often as kMeetings polls at most, so that they overlap although the host launches one after the
// other; in those rounds a kernel that executes griddepcontrol.launch_dependents anywhere also does so first.
// In some rounds the CTAs of a kernel begin microseconds later. None of this orders any memory access.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/harness/harness.h"
#include "gpu/host/code.h"
#include "gpu/host/draw.h"
#include "gpu/host/program.h"

namespace ptxmc::gpu {

/// As the entries read and write it. Behind it: a .u32 for each kernel, its CTAs that have started so far.
struct RoundState {
  std::uint32_t round = ~std::uint32_t{0};  ///< the evaluation before the first round only resets
  std::uint32_t seed = 0;
  std::uint32_t finished = 0;  ///< CTAs of the evaluation that are done
  std::uint32_t unused = 0;
};

/// The entry of a kernel. That of a host function has no name and no threads.
struct KernelEntry {
  std::string name;
  unsigned threads = 0;    ///< of a CTA
  unsigned cluster = 1;    ///< CTAs a cluster
  unsigned parts = 1;      ///< litmus clusters
  bool dedicated = false;  ///< as Harness::dedicated

  unsigned ctas_of_block() const { return cluster * (dedicated ? parts : 1); }
  unsigned reach_of(unsigned blocks) const {
    return parts > 1 && !dedicated ? (blocks - 1) / (parts - 1) : 1;
  }
  unsigned least_blocks() const { return dedicated ? 1 : parts; }
};

/// A host thread: of a host function, or the one that belongs to no kernel.
struct HostThread {
  std::optional<std::uint32_t> function;  ///< index in Test::kernels
  HostCode code;
  std::vector<std::uint32_t> places;  ///< numbers of HostCode::variables in global memory
};

/// Parameters of the entries, in order: memory, results, table, control, state (.u64 addresses); blocks and
/// reach (.u32), where reach is reach_of(blocks), of the evaluation 1; then those that Harness has for its
/// memory.
struct KernelsHarness {
  std::string ptx;
  isa::Target target;
  std::vector<KernelEntry> kernels;  ///< in the order of Test::kernels
  KernelEntry evaluation;
  HostProgram host;
  unsigned instances = 0;    ///< a block
  unsigned variables = 0;    ///< in global memory
  unsigned stride = 0;       ///< bytes
  unsigned result_rows = 0;  ///< words of 8 bytes an instance
  unsigned bits = 64;        ///< of a value in a key
  Harness layout;            ///< what InstanceMemory asks of a harness
  unsigned fuel = 0;         ///< HarnessOptions::fuel, for host threads
  bool moves = true;         ///< MemoryShape::moves
  /// With host threads, memory and results are the host's, and rounds are smaller.
  std::vector<HostThread> hosts;
  bool changes_atomically = false;  ///< read-modify-writes somewhere, which host and GPU must see as such

  std::size_t memory_bytes(unsigned blocks) const;
  std::size_t result_bytes(unsigned blocks) const;
  std::size_t state_bytes() const { return sizeof(RoundState) + kernels.size() * sizeof(std::uint32_t); }
  unsigned evaluation_ctas(unsigned blocks) const;
  MemoryShape shape(unsigned blocks) const { return {blocks, instances, variables, stride, moves}; }
  /// The least number of blocks in which all parts of all kernels find room.
  unsigned least_blocks() const;
};

/// Throws InputError "cannot run on a GPU yet: ..." for tests outside its reach.
KernelsHarness write_kernels_harness(const program::Program& test, const Observation& observation,
                                     const HarnessOptions& options);

}  // namespace ptxmc::gpu

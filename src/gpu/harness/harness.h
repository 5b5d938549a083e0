// SPDX-License-Identifier: Apache-2.0
// A PTX module that runs a test many times: one persistent kernel, many instances of the test at once, many
// rounds a launch, and nothing for the host to do in between.
//
// The grid is as large as the device holds at once. Its clusters (of one CTA, unless the test needs more) are
// blocks of instances: in a round, instance i of block b has its first litmus cluster in GPU cluster b, its
// second at a random distance from there, and so on; each GPU cluster plays one part for each of several
// blocks. Where a variable of an instance lies in memory is drawn anew each round as well, and so is which
// warp plays which part. A round is:
//
//   barrier of the grid  |  run round r in half r mod 2 of the memory  |  evaluate round r-1, reset its half
//
// Memory has two halves, so one barrier a round is enough: what is evaluated and reset is not what runs. The
// evaluation packs the observed values of an instance into a 64-bit key and counts it in a hash table of the
// CTA, which goes to the one in global memory at the end. A thread that jumps backwards too often is stopped;
// its instance counts as hung, and shows no outcome.
//
// A test whose threads need whole warps (barriers, matrices, exchanges of lanes) has one instance a block;
// one with barriers of CTAs or clusters has its CTAs to itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/harness/stress.h"
#include "gpu/text/observe.h"
#include "ptx/isa/target.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// What a test is known for that no GPU should run: where that is stated.
struct Hazards {
  std::optional<Position> undefined = std::nullopt;  ///< its behaviour is
  std::optional<Position> hangs = std::nullopt;      ///< it can wait forever
  /// a multimem address, which a multicast object would bind
  std::optional<Position> multicast = std::nullopt;
};

/// What shapes the text.
struct HarnessOptions {
  unsigned instances = 128;  ///< a block, a power of two of 32 or more; tests that need warps have one
  unsigned stride = 16;      ///< bytes from an instance's variable to the next instance's, a power of two
  unsigned fuel = 4096;      ///< jumps backwards that a thread may make
  StressOptions stress = {};
  /// The GPU whose memory has the variables, of a test on several GPUs; nothing: all share (actor.h).
  std::optional<unsigned> home = std::nullopt;
  Hazards hazards = {};
};

/// A slot of the table of outcomes, as the kernel writes it.
struct TableSlot {
  std::uint64_t key = ~std::uint64_t{0};  ///< all ones: free
  std::uint64_t count = 0;
};
constexpr std::size_t kTableSlots = 4096;

/// Counters, as the kernel writes them.
struct Control {
  std::uint32_t arrivals = 0;  ///< at the grid's barrier
  std::uint32_t unused = 0;
  std::uint64_t unrecorded = 0;  ///< outcomes whose values do not fit a key, or the table
  std::uint64_t hung = 0;        ///< instances
  std::uint64_t sink = 0;        ///< keeps registers alive that nothing observes
};

/// Rows of the memory (a row holds one variable of all instances) that the launcher fills with tensor maps.
struct MapRow {
  program::TensorMap map;
  unsigned tensor_row = 0;     ///< of the variable that the map names
  std::vector<unsigned> rows;  ///< the map itself, and the copy that a round's reset takes it from
};

/// Name of the .const array that holds the variables of a test with names of the constant proxy.
inline constexpr const char* kConstantWindow = "ptxmc_window";

/// The module, and what its launcher must know. Parameters of the entry, in order: memory, results, table,
/// control (.u64 addresses); blocks, rounds, seed, reach (.u32), where reach is reach_of(blocks). With
/// several mappings, then: span (.u64), bytes from one to the next. Then the texture objects (.u64), then the
/// test's own parameters.
struct Harness {
  std::string ptx;
  std::string entry = "ptxmc_run";
  isa::Target target;
  unsigned cta_threads = 0;
  unsigned cluster = 1;      ///< CTAs a cluster
  unsigned parts = 1;        ///< litmus clusters
  bool dedicated = false;    ///< a GPU cluster plays one part a round: blocks are fewer
  unsigned instances = 0;    ///< a block
  unsigned variables = 0;    ///< in global memory
  unsigned stride = 0;       ///< bytes
  unsigned result_rows = 0;  ///< words of 8 bytes an instance
  unsigned bits = 64;        ///< of a value in a key
  unsigned stressing = 0;    ///< percent of the GPU clusters that play no part in a round
  std::size_t scratch_bytes = 0;
  unsigned counters = 0;             ///< of threads that wait for each other, a block
  unsigned mappings = 1;             ///< of the memory: one, and one for each further name of a variable
  std::size_t window_bytes = 0;      ///< of the .const array that is the memory; 0: it is none
  unsigned most_rounds = 0;          ///< of a launch; 0: any number
  std::vector<MapRow> maps;          ///< in memory, where variables stay where they are
  std::vector<unsigned> textures;    ///< over the memory: channels of 32 bits a texel
  std::vector<std::uint64_t> given;  ///< the test's own parameters, each of at most 8 bytes

  /// The blocks of a device that holds so many CTAs; what does not stress plays, and at least one block does
  /// if it can.
  unsigned blocks(unsigned ctas) const;
  /// CTAs of a launch.
  unsigned launched(unsigned ctas) const;
  unsigned reach_of(unsigned blocks) const {
    return parts > 1 && !dedicated ? (blocks - 1) / (parts - 1) : 1;
  }
  /// The least number of CTAs that can hold the test.
  unsigned least_ctas() const { return cluster * parts; }
  std::size_t memory_bytes(unsigned blocks) const;  ///< with what stress needs
  std::size_t result_bytes(unsigned blocks) const;
};

/// Throws InputError "cannot run on a GPU yet: ..." for tests outside its reach, and all that write_thread()
/// throws.
Harness write_harness(const program::Program& test, const Observation& observation,
                      const HarnessOptions& options);

/// The values of a key.
Values unpack(std::uint64_t key, std::size_t names, unsigned bits);

}  // namespace ptxmc::gpu

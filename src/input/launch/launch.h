// SPDX-License-Identifier: Apache-2.0
// What runs: launches of kernels of one module, with their arguments and the memory that they find. As a file or a
// command line says it; nothing is compared with the module yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ptx/footprint/tensor_map.h"
#include "ptx/isa/isa.h"
#include "support/source.h"

namespace ptxmc::launch {

constexpr std::uint32_t kMaxExtent = 0x7fffffff;  // of a grid
constexpr std::uint32_t kMaxBlock = 1024;         // threads of a CTA

struct Extents {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Extents&, const Extents&) = default;
};

/// A number as it is written; the type of what it fills in may say how many bits.
struct Number {
  std::optional<isa::Type> type;  // {"u32": 3}; none: of a command line, or an element of data
  std::variant<std::int64_t, double> value;
  Position position = {};
  bool large = false;  // an integer of 2^63 or more, by its 64 bits
};
/// An address in a buffer.
struct Pointer {
  std::string buffer;
  std::int64_t offset = 0;  // bytes
  Position position = {};
};
struct MapName {
  std::string tensor;
  Position position = {};
};

/// What memory holds before the launch.
struct Contents {
  enum class Kind : std::uint8_t { opaque, zero, numbers, file };
  Kind kind = Kind::opaque;
  std::vector<Number> numbers;
  std::string file;
  Position position = {};
};

/// An entry of "memory" or "variables". Buffers are aligned to 256 bytes, and distinct ones do not overlap.
struct Buffer {
  struct Range {
    std::uint64_t begin = 0, bytes = 0;
    std::optional<isa::Type> type;  // of its numbers; none: of the buffer's, or of what fits
    Contents contents;
  };
  std::string name;
  std::uint64_t bytes = 0;
  isa::Space space = isa::Space::global;
  std::optional<isa::Type> type;  // of its elements
  Contents contents;
  std::vector<Range> ranges;                              // that hold something else
  std::vector<std::pair<std::uint64_t, Pointer>> fields;  // addresses, by offset
  /// Not empty: a multimem address (8.2.3), which stands for a location of each of these buffers; no memory of its own.
  std::vector<std::string> multicast;
  Position position;
};

/// A tensor map that the host made, in the driver's order of dimensions.
struct Tensor {
  std::string name;
  footprint::TiledMap map;
  Pointer base;
  Position position;
};

struct Blob {
  std::uint64_t bytes = 0;
  // by offset; the rest is zero
  std::vector<std::pair<std::uint64_t, std::variant<Number, Pointer, MapName>>> fields;
};
struct Argument {
  std::variant<Number, Pointer, MapName, Blob> value;
  Position position;
};

struct Launch {
  std::string entry;  // a unique part of its name, mangled or demangled; empty: the only one
  Extents grid, block, cluster;
  bool has_cluster = false;
  std::uint64_t shared = 0;  // bytes of dynamic shared memory
  bool cooperative = false;
  bool programmatic = false;
  std::vector<Argument> arguments;
  Position position;
};

/// A writer outside of the launch.
struct Peer {
  std::string writes;               // a buffer
  std::optional<isa::Scope> scope;  // of strong writes; none: weak ones, unless they release
  bool release = false;
  Position position;
};

/// Launches of one module, in the order of their stream.
struct Plan {
  SourcePtr source;    // of all positions
  std::string module;  // its file, as the plan names it
  Position module_position;
  std::vector<Buffer> memory, variables;
  std::vector<Tensor> tensors;
  std::vector<Launch> launches;
  std::vector<Peer> peers;
};

}  // namespace ptxmc::launch

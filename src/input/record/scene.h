// SPDX-License-Identifier: Apache-2.0
// A launch as it was recorded: arguments, and the memory and tensor maps that they lead to, by numbers that last as long
// as the recorded program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "input/record/memory.h"
#include "input/record/wire.h"

namespace ptxmc::record {

struct Place {
  std::uint64_t allocation = 0;
  std::uint64_t offset = 0;
};
struct Bits {
  std::uint64_t value = 0;
  unsigned bytes = 8;
};
struct MapNumber {
  std::uint64_t number = 0;
};
using Value = std::variant<Bits, Place, MapNumber>;
using Fields = std::vector<std::pair<std::uint64_t, Value>>;  // by offset

struct SceneBuffer {
  std::uint64_t bytes = 0;
  bool shared = false;                               // others write there, too
  std::map<std::uint64_t, Allocation::Known> known;  // by offset; the rest is opaque
  std::map<std::uint64_t, Place> fields;             // addresses in it
};
struct SceneTensor {
  MapCall call;
  std::string type;  // "bf16"
  Place base;
};
struct SceneArgument {
  std::uint64_t bytes = 0;
  bool scalar = false;
  Fields fields;  // of what is no scalar: all that is not zero
};

struct Scene {
  std::uint64_t module = 0;
  LaunchCall call;
  std::vector<SceneArgument> arguments;
  std::map<std::uint64_t, SceneBuffer> buffers;  // by allocation
  std::map<std::uint64_t, SceneTensor> tensors;  // by map
  std::map<std::string, SceneBuffer> variables;

  void forget_contents();
};

/// launch.json of these, one or several of one stream: its memory is that of the first which has it. Contents too long to
/// be spelled out go to `files`, by name.
std::string plan_of(const std::vector<Scene>& scenes, std::map<std::string, std::string>& files);

}  // namespace ptxmc::record

// SPDX-License-Identifier: Apache-2.0
// The driver's ABI, as far as recording needs it; all handles are plain addresses here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxmc::record::driver {

using Result = int;
using Address = std::uint64_t;  // CUdeviceptr
using Handle = void*;

constexpr Result kOk = 0, kInvalidValue = 1, kNoMemory = 2, kNoDevice = 100, kInvalidImage = 200,
                 kInvalidPtx = 218, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600,
                 kNotSupported = 801, kInvalidClusterSize = 912;

/// CUlaunchAttribute
struct Attribute {
  int id;
  int unused;
  union {
    char bytes[64];
    std::uint32_t numbers[16];
  } value;
};
constexpr int kCooperative = 2, kCluster = 4, kProgrammatic = 6, kProgrammaticEvent = 7;

/// CUlaunchConfig
struct LaunchConfig {
  std::uint32_t grid[3], block[3];
  std::uint32_t shared;
  Handle stream;
  const Attribute* attributes;
  std::uint32_t count;
};

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNode {
  Handle function;
  std::uint32_t grid[3], block[3];
  std::uint32_t shared;
  void** arguments;
  void** extra;
  Handle kernel, context;
};

}  // namespace ptxmc::record::driver

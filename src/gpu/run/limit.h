// SPDX-License-Identifier: Apache-2.0
// What a device could do at most: kernels that do nothing but relaxed accesses at gpu scope to global memory.
// The rates of tests are set beside these (tests/gpu/README.md): a test performs a few such accesses an
// instance.
//
// As many threads as the device holds access 32-bit words, neighbouring threads `stride` bytes apart, as
// neighbouring instances of a test are; each goes through a region that the L2 cache holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/driver/driver.h"

namespace ptxmc::gpu {

enum class Traffic : std::uint8_t { loads, stores, both };

struct LimitKernel {
  Traffic traffic = Traffic::both;
  unsigned stride = 16;  ///< bytes, a power of two of 4 or more
  friend bool operator==(const LimitKernel&, const LimitKernel&) = default;
};

constexpr const char* kLimitEntry = "ptxmc_limit";
constexpr unsigned kLimitThreads = 1024;    ///< of a CTA
constexpr unsigned kLimitUnroll = 8;        ///< accesses of a round, by each thread
constexpr unsigned kLimitWords = 1U << 17;  ///< of the region, `stride` bytes apart

/// Parameters of the entry: memory (.u64), rounds (.u32), sink (.u64).
std::string write_limit_kernel(const LimitKernel& kernel);

struct LimitRate {
  LimitKernel kernel;
  double per_second = 0;  ///< accesses of threads
  double seconds = 0;
};

/// Runs each kernel for about `seconds`. Throws DriverError, also when the device does not come back within
/// `patience` seconds.
std::vector<LimitRate> measure_limit(const Device& device, const std::vector<LimitKernel>& kernels,
                                     double seconds, double patience);

}  // namespace ptxmc::gpu

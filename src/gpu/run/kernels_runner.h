// SPDX-License-Identifier: Apache-2.0
// Running a test with several kernels on a device: its host program, round after round.
#pragma once

#include <functional>

#include "gpu/driver/driver.h"
#include "gpu/harness/kernels_harness.h"
#include "gpu/run/runner.h"
#include "gpu/text/observe.h"

namespace ptxmc::gpu {

/// As run() of a persistent kernel; a launch is some rounds here, and `ctas` those of all kernels of a round.
Histogram run(const Device& device, const KernelsHarness& harness, const Observation& observation,
              const RunOptions& options, const std::function<bool()>& stop);

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
// Running a test on several GPUs, and with host threads: launches of all its kernels at once until a time or
// a number of instances is reached.
#pragma once

#include <functional>
#include <vector>

#include "gpu/driver/driver.h"
#include "gpu/harness/system.h"
#include "gpu/run/runner.h"
#include "gpu/text/observe.h"

namespace ptxmc::gpu {

/// As run() of runner.h. `devices`: one for each GPU of the system, in its order. TooSmall also when the host
/// and a GPU would have to be atomic to each other, and are not.
Histogram run_system(const std::vector<const Device*>& devices, const System& system,
                     const Observation& observation, const RunOptions& options,
                     const std::function<bool()>& stop);

}  // namespace ptxmc::gpu

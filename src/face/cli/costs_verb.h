// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

/// `run --costs`: what instructions of synchronization cost, without a test.
Status show_costs(const GpuOptions& options, Streams& streams);

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
// One piece of work that uses the GPU's driver, in a child process (workers.h), as a verb's whole action.
#pragma once

#include <functional>

#include "face/cli/status.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

/// Runs `work`, which answers through the status, for at most `seconds`, and at most `grace` behind a Ctrl-C;
/// reports its exceptions, and how its process ended.
Status in_child(double seconds, double grace, Streams& streams, const std::function<void(Status&)>& work);

}  // namespace ptxmc::cli

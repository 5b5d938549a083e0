// SPDX-License-Identifier: Apache-2.0
// Launches in which atomics contend for a location, and their results decide what threads do: they run once for each order
// of the turns there, as far as that goes. src/dynamic/README.md says when these are all executions.
#pragma once

#include <cstddef>
#include <optional>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/runs.h"
#include "dynamic/explore/task.h"
#include "dynamic/shadow/detector.h"

namespace ptxmc::explore {

/// Runs with other orders, and adds what they show to what is known of the first run. `most`: runs; nothing: few enough not to
/// take long.
Runs explore_access_orders(const VerificationTask& task, const trace::Detector& first,
                           const exec::Options& limits, std::optional<std::size_t> most,
                           claim::VerifyResult& verified);

}  // namespace ptxmc::explore

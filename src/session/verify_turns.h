// SPDX-License-Identifier: Apache-2.0
// Launches in which atomics contend for a location, and their results decide what threads do: they run once for each order
// of the turns there, as far as that goes. src/trace/README.md says when these are all executions.
#pragma once

#include <cstddef>
#include <optional>

#include "explain/verify/verified.h"
#include "kernel/run.h"
#include "session/subject.h"
#include "session/verify_runs.h"
#include "trace/detector.h"

namespace ptxmc::session {

/// Runs with other orders, and adds what they show to what is known of the first run. `most`: runs; nothing: few enough not to
/// take long.
Runs take_turn_orders(const Subject& subject, const trace::Detector& first, const kernel::Options& limits,
                      std::optional<std::size_t> most, explain::Verified& verified);

}  // namespace ptxmc::session

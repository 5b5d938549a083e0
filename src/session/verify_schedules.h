// SPDX-License-Identifier: Apache-2.0
// Launches in which timing decides what threads do: they run again with other schedules. What these show happens; that they
// show nothing says nothing of the others.
#pragma once

#include <cstddef>
#include <optional>

#include "explain/verify/verified.h"
#include "kernel/run.h"
#include "session/subject.h"
#include "session/verify_runs.h"

namespace ptxmc::session {

/// Adds what other schedules show. `most`: how many; nothing: few enough not to take long.
void try_schedules(const Subject& subject, const kernel::Options& limits, std::optional<std::size_t> most,
                   explain::Verified& verified, Runs& runs);

}  // namespace ptxmc::session

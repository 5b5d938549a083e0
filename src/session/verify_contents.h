// SPDX-License-Identifier: Apache-2.0
// Launches in which contents of memory decide what threads do, and the launch does not say them: they run again with other
// contents, the same in all words. What these show happens with them.
#pragma once

#include <cstddef>
#include <optional>

#include "explain/verify/verified.h"
#include "kernel/run.h"
#include "session/subject.h"
#include "session/verify_runs.h"

namespace ptxmc::session {

/// Adds the races that other contents show. `most`: how many; nothing: few enough not to take long.
void try_contents(const Subject& subject, const kernel::Options& limits, std::optional<std::size_t> most,
                  explain::Verified& verified, Runs& runs);

}  // namespace ptxmc::session

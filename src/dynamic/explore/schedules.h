// SPDX-License-Identifier: Apache-2.0
// Launches in which timing decides what threads do: they run again with other schedules. What these show happens; that they
// show nothing says nothing of the others.
#pragma once

#include <cstddef>
#include <optional>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/runs.h"
#include "dynamic/explore/task.h"

namespace ptxmc::explore {

/// Adds what other schedules show. `most`: how many; nothing: few enough not to take long.
void try_schedules(const VerificationTask& task, const exec::Options& limits, std::optional<std::size_t> most,
                   claim::VerifyResult& verified, Runs& runs);

}  // namespace ptxmc::explore

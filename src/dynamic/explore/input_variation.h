// SPDX-License-Identifier: Apache-2.0
// Launches in which contents of memory decide what threads do, and the launch does not say them: they run again with other
// contents, the same in all words. What these show happens with them.
#pragma once

#include <cstddef>
#include <optional>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/runs.h"
#include "dynamic/explore/task.h"

namespace ptxmc::explore {

/// Adds the races that other contents show. `most`: how many; nothing: few enough not to take long.
void try_contents(const VerificationTask& task, const exec::Options& limits, std::optional<std::size_t> most,
                  claim::VerifyResult& verified, Runs& runs);

}  // namespace ptxmc::explore

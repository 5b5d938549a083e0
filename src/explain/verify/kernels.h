// SPDX-License-Identifier: Apache-2.0
// Races between threads of two kernels: what would have kept the second one waiting.
#pragma once

#include <optional>

#include "dynamic/claim/verify_result.h"
#include "explain/words/runs.h"

namespace ptxmc::explain {

/// The two threads are of different kernels.
bool are_of_two_kernels(const claim::VerifyResult& of, const trace::Finding& finding);

/// Nothing: they are of one kernel, or the words for what is missing say enough.
std::optional<RunWords> between_kernels(const claim::VerifyResult& of, const trace::Finding& finding);

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// Several kernels of one run: whose a thread is, and what would have kept the second of two that race waiting.
#pragma once

#include <optional>

#include "dynamic/claim/verify_result.h"
#include "explain/words/runs.h"

namespace ptxmc::explain {

/// Null: the run has no more than one.
const program::Kernel* kernel_of(const claim::VerifyResult& of, trace::Thread thread);

/// The two threads are of different kernels.
bool are_of_two_kernels(const claim::VerifyResult& of, const trace::Finding& finding);

/// Nothing: they are of one kernel, or the words for what is missing say enough.
std::optional<RunWords> between_kernels(const claim::VerifyResult& of, const trace::Finding& finding);

}  // namespace ptxmc::explain

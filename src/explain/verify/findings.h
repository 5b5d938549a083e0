// SPDX-License-Identifier: Apache-2.0
// What is wrong with a run: faults, hangs and accesses that nothing orders, one finding a cause, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"
#include "support/diagnostic.h"
#include "support/origins.h"

namespace ptxmc::explain {

/// Numbers of the findings that are asked of the exact engine: the first race of each group.
std::vector<std::size_t> representatives(const claim::VerifyResult& verified);

/// Errors first, consequences after their cause. Pairs that share a cause and an instruction, or both source lines, are one finding.
std::vector<Finding> findings_of(const claim::VerifyResult& verified);

Place place_of(const claim::VerifyResult& verified, trace::Site site);
/// The same with a thread.
Place place_of(const claim::VerifyResult& verified, trace::Site site, trace::Thread thread);

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// What to do about two accesses of a launch that nothing orders, or that a flag should order: by who executes them, where, and what
// is there already. CUDA's words first, then PTX's.
#pragma once

#include <string>
#include <vector>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::explain {

/// `group` has the numbers of findings that are reported as one, none of them twice. Empty: what the cause says will do.
std::vector<std::string> order_advice(const claim::VerifyResult& of, const std::vector<std::size_t>& group);

}  // namespace ptxmc::explain

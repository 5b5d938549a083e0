// SPDX-License-Identifier: Apache-2.0
// Two accesses of one CTA that race although each thread has passed barriers of it: the barriers of two branches, say, met
// each other.
#pragma once

#include <string>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::explain {

/// "at barrier 0, warps 0, 2 at line 8 met warps 1, 3 at line 11"; empty: all threads came there by one instruction.
std::string met_elsewhere(const claim::VerifyResult& of, const trace::Finding& finding);

}  // namespace ptxmc::explain

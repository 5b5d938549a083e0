// SPDX-License-Identifier: Apache-2.0
// Which findings of a run are one to a reader.
#pragma once

#include <cstddef>
#include <vector>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::explain {

/// Numbers of claim::VerifyResult::findings, in the order of the first of each group: findings of one rule and one cause that share
/// an instruction, or are about mbarrier objects that one instruction made, or whose instructions stand in the same two source
/// lines, as compilers copy them.
std::vector<std::vector<std::size_t>> groups_of(const claim::VerifyResult& verified);

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// Which findings of a run follow from another one.
#pragma once

#include <cstddef>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"

namespace ptxmc::explain {

/// A finding, and the numbers of claim::VerifyResult::findings that it stands for.
struct GroupedFinding {
  Finding finding;
  std::vector<std::size_t> group = {};
};

/// Leaves out the notes on equal writes of instructions whose writes race with each other, which is told as an error.
void drop_equal_writes_of_races(const claim::VerifyResult& of, std::vector<GroupedFinding>& all);

/// In the order of the report: errors first, and each consequence after its cause, where that is certain. A cause is as severe as
/// what follows from it.
std::vector<Finding> in_order_of_cause(const claim::VerifyResult& of, std::vector<GroupedFinding> all);

}  // namespace ptxmc::explain

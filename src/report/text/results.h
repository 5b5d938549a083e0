// SPDX-License-Identifier: Apache-2.0
// Results of many launches as text.
#pragma once

#include <string>
#include <vector>

#include "report/results.h"

namespace ptxmc::report {

/// A line a launch that is not in order, and how many there are of which answer.
std::string results_text(const std::vector<VerifyResult>& results);

}  // namespace ptxmc::report

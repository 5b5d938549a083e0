// SPDX-License-Identifier: Apache-2.0
// JUnit's XML, for build servers.
#pragma once

#include <string>
#include <vector>

#include "report/results.h"

namespace ptxmc::report {

/// JUnit's XML: a test case a launch; a finding is a failure, what could not be verified an error, what is bounded is
/// skipped.
std::string results_junit(const std::vector<VerifyResult>& results);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// JUnit's XML, for build servers.
#pragma once

#include <string>
#include <vector>

#include "report/results.h"

namespace ptxmc::report {

/// JUnit's XML: a test case a launch or a test; a finding or a verdict that is not met is a failure, what could not be read an error,
/// what is open is skipped. `suite`: "ptxmc verify".
std::string results_junit(const std::vector<VerifyResult>& results, const std::string& suite);

}  // namespace ptxmc::report

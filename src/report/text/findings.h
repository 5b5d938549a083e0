// SPDX-License-Identifier: Apache-2.0
// Findings for people.
#pragma once

#include <string>

#include "report/finding_report.h"

namespace ptxmc::report {

/// "1. race: a scope is too narrow", with places, causes, advice and an execution.
std::string findings_text(const FindingReport& report);

}  // namespace ptxmc::report

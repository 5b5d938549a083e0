// SPDX-License-Identifier: Apache-2.0
// Findings as sections of pages.
#pragma once

#include <string>

#include "report/finding_report.h"

namespace ptxmc::report {

/// One test: its text, and each finding with its accesses, what is missing and a picture of an execution in which it
/// happens.
std::string findings_html(const FindingReport& report);

}  // namespace ptxmc::report

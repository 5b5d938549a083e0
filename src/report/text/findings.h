// SPDX-License-Identifier: Apache-2.0
// Findings for people.
#pragma once

#include <string>

#include "report/finding_report.h"
#include "support/source_files.h"

namespace ptxmc::report {

/// Each finding (report/text/finding.h), and an execution in which it happens. Quotes lines of `compiled`.
std::string findings_text(const FindingReport& report, SourceFiles& compiled);

}  // namespace ptxmc::report

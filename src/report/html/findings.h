// SPDX-License-Identifier: Apache-2.0
// Findings as sections of pages.
#pragma once

#include <string>

#include "report/finding_report.h"
#include "support/source_files.h"

namespace ptxmc::report {

/// One test: its text, and each finding (report/html/finding.h) with a picture of an execution in which it happens. Quotes lines of
/// `compiled`.
std::string findings_html(const FindingReport& report, SourceFiles& compiled);

}  // namespace ptxmc::report

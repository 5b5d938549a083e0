// SPDX-License-Identifier: Apache-2.0
// Findings as pictures.
#pragma once

#include <optional>
#include <string>

#include "report/draw/drawing.h"
#include "report/finding_report.h"

namespace ptxmc::report {

/// The execution that shows a finding, with an arrow between its places that says what it is. Nothing: none is shown.
std::optional<Drawing> drawing_of(const FindingReport& report, const explain::Finding& finding);

/// A graph a finding, for Graphviz.
std::string findings_dot(const FindingReport& report);
/// All of a test in one picture.
std::string findings_svg(const FindingReport& report);

}  // namespace ptxmc::report

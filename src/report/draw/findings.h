// SPDX-License-Identifier: Apache-2.0
// Findings as pictures.
#pragma once

#include <memory>
#include <optional>

#include "report/draw/drawing.h"
#include "report/reporter.h"

namespace ptxmc::report {

/// The execution that shows a finding, with an arrow between its places that says what it is. Nothing: none is shown.
std::optional<Drawing> drawing_of(const FindingReport& report, const explain::Finding& finding);

/// A graph a finding, for Graphviz.
std::unique_ptr<const Reporter> dot_reporter();
/// All of a test in one picture.
std::unique_ptr<const Reporter> svg_reporter();

}  // namespace ptxmc::report

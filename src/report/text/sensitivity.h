// SPDX-License-Identifier: Apache-2.0
// The text of --sensitivity: which readings change a test's answer.
#pragma once

#include <string>

#include "explain/outcome.h"

namespace ptxmc::report {

/// "Sensitivity NAME ANSWER: N of M readings change it" and a line for each that changes the answer or the
/// races, or leaves the answer open. Empty when no reading was tried. It follows the test's report in herd's
/// format; the log readers of that family skip it.
std::string sensitivity_text(const explain::Outcome& outcome);

}  // namespace ptxmc::report

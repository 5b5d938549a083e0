// SPDX-License-Identifier: Apache-2.0
// A finding as text, for every verb: what happens and where, the source lines with who executes them, why, and what to do.
#pragma once

#include <string>

#include "report/finding_lines.h"

namespace ptxmc::report {

/// Lines, each with its end.
std::string finding_text(const explain::Finding& finding, const Quoted& quoted);

}  // namespace ptxmc::report

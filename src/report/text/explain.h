// SPDX-License-Identifier: Apache-2.0
// An explanation in words.
#pragma once

#include <string>
#include <vector>

#include "explain/explain.h"
#include "explain/outcome.h"

namespace ptxmc::report {

std::string explain_text(const explain::Outcome& outcome, const explain::Explanation& explanation, int depth);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// The JSON of `explain`, one object a test, on one line; what its fields are, schema.json says.
#pragma once

#include <string>

#include "explain/explain.h"
#include "explain/outcome.h"

namespace ptxmc::report {

/// `depth`: levels of why. Ends with a line end.
std::string explain_json(const explain::Outcome& outcome, const explain::Explanation& explanation, int depth);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// The JSON of `compare`, one object a test, on one line; what its fields are, schema.json says.
#pragma once

#include <string>

#include "observed/compare.h"

namespace ptxmc::report {

/// Ends with a line end.
std::string compare_json(const observed::Comparison& comparison);

}  // namespace ptxmc::report

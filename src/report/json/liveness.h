// SPDX-License-Identifier: Apache-2.0
// The JSON of `check --property liveness`, one object a test, on one line; what its fields are, schema.json says.
#pragma once

#include <string>

#include "explain/liveness.h"

namespace ptxmc::report {

/// Ends with a line end.
std::string liveness_json(const explain::LivenessOutcome& outcome);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// The JSON of `races`, one object a test, on one line; what its fields are, schema.json says. A user's flags count as races
// unless a role says what they are (finding/rules.h).
#pragma once

#include <string>

#include "report/finding_report.h"

namespace ptxmc::report {

/// A line of JSON.
std::string findings_json(const FindingReport& report);

}  // namespace ptxmc::report

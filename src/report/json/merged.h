// SPDX-License-Identifier: Apache-2.0
// Merged logs for programs.
#pragma once

#include <string>
#include <vector>

#include "observed/log.h"

namespace ptxmc::report {

/// One line of JSON, of the shape of `ptxmc run`'s; "devices" and "runs" instead of what belongs to one run.
std::string merged_json(const observed::LoggedTest& test);

}  // namespace ptxmc::report

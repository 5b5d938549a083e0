// SPDX-License-Identifier: Apache-2.0
// Merged logs as histograms.
#pragma once

#include <string>
#include <vector>

#include "observed/log.h"

namespace ptxmc::report {

/// A histogram of the herd family.
std::string merged_text(const observed::LoggedTest& test);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// Findings as sections of pages.
#pragma once

#include <memory>

#include "report/reporter.h"

namespace ptxmc::report {

/// One test: its text, and each finding with its accesses, what is missing and a picture of an execution in which it
/// happens.
std::unique_ptr<const Reporter> html_reporter();

}  // namespace ptxmc::report

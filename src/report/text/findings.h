// SPDX-License-Identifier: Apache-2.0
// Findings for people.
#pragma once

#include <memory>

#include "report/reporter.h"

namespace ptxmc::report {

/// "1. data-race: a scope is too narrow", with places, causes, advice and an execution.
std::unique_ptr<const Reporter> text_reporter();

}  // namespace ptxmc::report

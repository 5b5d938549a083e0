// SPDX-License-Identifier: Apache-2.0
// Mutants of a kernel for programs.
#pragma once

#include <string>

#include "explain/verify/mutants.h"

namespace ptxmc::report {

/// An object a line.
std::string mutants_json(const std::string& launch, const std::string& file, const explain::Mutants& mutants);

}  // namespace ptxmc::report

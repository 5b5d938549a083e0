// SPDX-License-Identifier: Apache-2.0
// Mutants of a kernel as text.
#pragma once

#include <string>
#include <vector>

#include "explain/verify/mutants.h"

namespace ptxmc::report {

std::string mutants_text(const std::vector<explain::Mutant>& mutants);

}  // namespace ptxmc::report

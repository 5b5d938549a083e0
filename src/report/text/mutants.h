// SPDX-License-Identifier: Apache-2.0
// Mutants of a kernel as text.
#pragma once

#include <string>

#include "explain/verify/mutants.h"

namespace ptxmc::report {

std::string mutants_text(const explain::Mutants& mutants);

}  // namespace ptxmc::report

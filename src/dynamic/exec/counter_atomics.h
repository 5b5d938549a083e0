// SPDX-License-Identifier: Apache-2.0
// Atomics that count, as far as others see it: whose results are compared for equality, or looked at by some of their bits, and
// used for nothing else (`Step::counts`, `looked_at`, `counted`).
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

void find_counting(Code& code);

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// The words of a `Verdict=` by themselves.
#pragma once

#include <string>

#include "input/litmus/test.h"

namespace ptxmc::litmus {

/// "Forbidden RaceFree". Throws InputError for what is no verdict.
Verdict read_verdict(const std::string& words);

}  // namespace ptxmc::litmus

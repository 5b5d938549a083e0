// SPDX-License-Identifier: Apache-2.0
// A digest of what a test means, by which logs and records tell tests apart.
#pragma once

#include <string>

#include "input/litmus/test.h"

namespace ptxmc::litmus {

/// 32 hexadecimal digits that depend on the meaning of a test: placement, code, initial values, observed
/// locations, filter and condition; not on its name, documentation, keys, stated verdicts, comments or white
/// space.
std::string meaning_hash(const Test& test);

}  // namespace ptxmc::litmus

// SPDX-License-Identifier: Apache-2.0
// Structural comparison of tests: everything but positions and source texts.
#pragma once

#include <string>

#include "input/litmus/test.h"

namespace ptxmc::litmus {

/// "" when the tests are the same; else what differs first, as "threads[1].code[0].operands".
std::string difference(const Test& a, const Test& b);
bool same(const Condition& a, const Condition& b);

}  // namespace ptxmc::litmus

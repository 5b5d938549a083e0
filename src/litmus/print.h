// SPDX-License-Identifier: Apache-2.0
// Printing litmus tests: print() parses back to the same test.
#pragma once

#include <string>

#include "litmus/test.h"
#include "program/print.h"

namespace ptxmc::litmus {

using program::print;

/// The whole test in design.md's notation.
std::string print(const Test& test);

}  // namespace ptxmc::litmus

// SPDX-License-Identifier: Apache-2.0
// Printing litmus tests: print() parses back to the same test; conditions as herd prints them.
#pragma once

#include <string>

#include "litmus/test.h"

namespace ptxmc::litmus {

/// The whole test in design.md's notation.
std::string print(const Test& test);
/// A condition in herd's notation, as in the report: `(1:r0=1 /\ 1:r1=0)`; registers without P and %, memory
/// as `[x]`.
std::string print(const Condition& condition);
/// `exists (...)`, `~exists (...)` or `forall (...)`.
std::string print_condition_line(const Test& test);
/// A name as herd's states show it: `1:r0`, `[x]`, `a[1]`.
std::string print(const StateName& name);

}  // namespace ptxmc::litmus

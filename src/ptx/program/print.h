// SPDX-License-Identifier: Apache-2.0
// Conditions as herd prints them, in reports and logs.
#pragma once

#include <string>

#include "ptx/program/property.h"

namespace ptxmc::program {

/// `(1:r0=1 /\ 1:r1=0)`; registers without P and %, memory as `[x]`.
std::string print(const Condition& condition);
/// `exists (...)`, `~exists (...)` or `forall (...)`.
std::string print_condition_line(const Property& property);
/// A name as herd's states show it: `1:r0`, `[x]`, `a[1]`.
std::string print(const StateName& name);

}  // namespace ptxmc::program

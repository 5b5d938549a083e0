// SPDX-License-Identifier: Apache-2.0
// Loops that let time pass: they read the clock, and do nothing but compute until some time is over.
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// Sets `idles` of what has a guard in such a loop, and so of the branches that leave it. How many turns it takes decides nothing but what its registers hold; that it
/// ends is given, as the clock goes on: no comparison in it is for equality.
void find_idle_loops(Code& code);

}  // namespace ptxmc::exec

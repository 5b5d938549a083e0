// SPDX-License-Identifier: Apache-2.0
// Branches of which one way ends in a trap: limits of how long a wait may take, and assertions. A trap ends
// the run (9.7.17.4), so that each thread of a run that goes on has gone the other way.
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// Sets `traps` of the steps.
void find_traps(Code& code);

}  // namespace ptxmc::exec

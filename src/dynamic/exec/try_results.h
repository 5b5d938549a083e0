// SPDX-License-Identifier: Apache-2.0
// Tokens, as CUTLASS calls them: an mbarrier is tried ahead, and who fails waits later, for the same phase. Whether the try
// succeeds decides no more than where the wait is.
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// Sets `is_tried_ahead` of such tries, and `token` of the branches that skip the wait: by find_spin_loops' results, which it
/// needs. A branch promises this: who jumps over the wait comes to where the wait leads, and what was written on either
/// way is read no more. That the token is of what is waited for is seen when it runs.
void find_try_results(Code& code);

}  // namespace ptxmc::exec

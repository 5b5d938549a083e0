// SPDX-License-Identifier: Apache-2.0
// What a code says of itself before it runs: which loops wait for an mbarrier, and which reads may decide control.
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// Sets `traps`, `idles`, `waits_in_loop`, `polls`, `takes`, `is_tried_ahead`, `token`, `decides` and `guards_exit` of the steps, and `heeds_order`.
void analyse(Code& code);

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Loops that wait: they are left by the awaited value alone, and their other turns do nothing.
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// Sets `waits_in_loop` of the waits for mbarrier objects that are retried until they succeed, however long that takes,
/// `polls` of the reads of memory in such loops, `takes` of the atomics that take a lock in one, and `counts_turns` of what
/// differs from turn to turn of them.
void find_spin_loops(Code& code);

}  // namespace ptxmc::exec

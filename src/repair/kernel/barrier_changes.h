// SPDX-License-Identifier: Apache-2.0
// Changes of barriers that are there, where threads wait forever at them, or meet at two of them as if they were one.
#pragma once

#include <vector>

#include "repair/kernel/advice.h"

namespace ptxmc::repair {

/// An arrival waits, a barrier stands before a branch that it is in, a count is that of the threads that come, a wait is for the other
/// phase. None where the run has no barrier to change.
std::vector<Way> barrier_changes(const Asking& asking, const ModuleChanges& changes);

}  // namespace ptxmc::repair

// SPDX-License-Identifier: Apache-2.0
// One of two accesses that race stands on the other side of what synchronizes: a store before the release of a lock, say.
#pragma once

#include <vector>

#include "repair/kernel/advice.h"

namespace ptxmc::repair {

/// The first access of the finding, which is meant to come first, may come earlier; the second one may come later. So a read sees no older
/// value than it was meant to, and a write is seen by no earlier read. Others than data do not move.
bool may_move(const Asking& asking, trace::Site site, bool up);

/// Past the nearest instructions that synchronize, as far as branches, registers and other accesses let it. Precondition: the finding is a
/// pair of accesses.
std::vector<Way> access_moves(const Asking& asking, const ModuleChanges& changes);

}  // namespace ptxmc::repair

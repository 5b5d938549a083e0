// SPDX-License-Identifier: Apache-2.0
// Changes by which threads come to wait for each other, or that say what they wait for, or when.
#pragma once

#include <vector>

#include "repair/change.h"
#include "repair/runs.h"

namespace ptxmc::repair {

/// Barriers that two threads, or those of a cluster, meet at.
void add_rendezvous(const Runs& runs, std::vector<Site>& sites);
/// Waits for phases of mbarrier objects, and arrivals at them.
void add_signals(const Runs& runs, std::vector<Site>& sites);
/// Waits for another phase or object; arrivals that are for more, or less, than copies.
void add_other_signals(const Runs& runs, std::vector<Site>& sites);
/// Instructions that stand after a later one instead, or before an earlier one.
void add_moves(const Runs& runs, std::vector<Site>& sites);

}  // namespace ptxmc::repair

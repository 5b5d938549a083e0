// SPDX-License-Identifier: Apache-2.0
// Program graphs whose events get other numbers, hence another program order (events put in, or moved).
#pragma once

#include <vector>

#include "event/program_graph.h"

namespace ptxmc::event {

/// The event that had number order[i] gets number i; `order` is a permutation of all, with each thread's events
/// together. All that names events follows. Returns the new number of each.
std::vector<EventId> reorder(ProgramGraph& graph, const std::vector<EventId>& order);

}  // namespace ptxmc::event

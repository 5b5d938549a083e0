// SPDX-License-Identifier: Apache-2.0
// Program graphs whose events get other numbers, hence another program order (events put in, moved, or left out).
#pragma once

#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::event {

/// The event that had number order[i] gets number i; `order` is a permutation of all, with each thread's events
/// together. All that names events follows. Returns the new number of each.
std::vector<EventId> reorder(ProgramGraph& graph, const std::vector<EventId>& order);

/// Takes away all accesses of the cells with a mark, and the events that access no other cell. No value of these cells may
/// be asked for, and an access of one of them may have no cell whose value is. Pairs of an event that goes are dropped.
/// The cells themselves keep their numbers, and their names.
void leave_out(ProgramGraph& graph, const std::vector<char>& cells);

}  // namespace ptxmc::event

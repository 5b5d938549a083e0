// SPDX-License-Identifier: Apache-2.0
// What makes the accesses of a cycle: ld and st, or asynchronous copies, or tcgen05.ld and tcgen05.st.
#pragma once

#include <vector>

#include "generate/edge.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// By access. Throws InputError where edges, marks and locations do not fit: an order of an access that has none, a wait for what
/// is not asynchronous, a location that would be in two state spaces.
std::vector<AccessKind> access_kinds_of(const Cycle& cycle, const std::vector<Direction>& directions,
                                        const std::vector<int>& locations);

/// What waits in the thread for an asynchronous access of its own, by an mbarrier object of that number where it takes one.
std::vector<Operation> wait_for(AccessKind access_kind, Direction direction, int object);
/// Behind its other operations: what waits for what they make of operands that they read, and loads it; an mbarrier object of that
/// number is for nothing else.
void add_results(int object, Thread& thread);
Operation barrier_end(std::string word, int number);
Operation tensor_fence(bool before);

}  // namespace ptxmc::generate

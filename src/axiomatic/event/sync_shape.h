// SPDX-License-Identifier: Apache-2.0
// Paths that are one up to the names of threads.
//
// Which runs of the phase machine there are depends on what each thread does in turn, at which objects, and on who takes
// part in these; not on the number of a thread. So paths that differ only in which lane of a warp does what (the one that
// elect.sync elected, say) have the same runs, but for the names of the lanes.
#pragma once

#include <optional>
#include <string>

#include "axiomatic/event/sync_path.h"

namespace ptxmc::event {

/// Paths of one graph with equal shapes are equal after a permutation of the threads. Nothing: an object is not known by
/// constants, or threads refer to each other by more than objects.
std::optional<std::string> shape_of(const ProgramGraph& graph, const SyncPath& path);

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Symmetry: threads that can be exchanged without anybody noticing.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "engine/smt/reach.h"

namespace ptxmc::engine::smt {

/// Threads of one class, each as its events in program order: any permutation of them, event by event, maps
/// candidate executions to candidate executions and keeps every base relation that the query uses, the
/// filter, and (with `proposition`) the proposition.
using Interchangeable = std::vector<std::vector<event::EventId>>;

/// Classes of two threads or more. A query that uses an enumerated relation with pairs in it has none.
std::vector<Interchangeable> interchangeable_threads(const Query& query, const Reach& reach,
                                                     bool proposition);

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
// What the tasks of a program (ptx/program/tasks.h) order, between events.
//
// Readings: the completion of a task includes that of a programmatic prerequisite, as streams complete in
// order; a griddepcontrol.wait waits for the prerequisite grids alone, not for what those have not waited for
// themselves. Cost: linear in tasks and edges, but for sets of events, which are as large as the grids.
#pragma once

#include <utility>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "ptx/program/tasks.h"

namespace ptxmc::lower {

/// The events at which threads and tasks meet, by what they belong to; filled while threads are lowered.
struct ApiEvents {
  using OfThreads = std::vector<std::pair<event::ThreadId, event::EventId>>;
  OfThreads starts, ends, grid_waits, launches;
  std::vector<std::pair<const program::Instruction*, event::EventId>> calls;
};

/// API synchronization between events: the base relation hostsync. `always_early`: a programmatic dependent
/// may start before its prerequisites end whether or not these use launch_dependents (R233).
std::vector<std::pair<event::EventId, event::EventId>> api_synchronization(const program::TaskPlan& plan,
                                                                           const ApiEvents& events,
                                                                           bool always_early);

/// griddepcontrol.launch_dependents, and the starts of the threads of each grid that may start early by it.
std::vector<std::pair<event::EventId, event::EventId>> dependent_starts(const program::TaskPlan& plan,
                                                                        const ApiEvents& events);

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// The tasks of a program that states its kernels, and what each waits for (8.9.4, API synchronization).
//
// Streams are queues that the section `kernels` and host threads fill in the order of the text, so who waits
// for whom is known before anything runs. A task is a kernel (or a host function), or has no effect of its
// own: recording an event, waiting for one, the start and the completion of a graph. Edges of the task graph
// are those of the manual: (1) the previous task of the stream; (2) the latest record of an event for a wait,
// and for cudaStreamLegacy all streams; (4) start, completion and dependencies of a graph. A programmatic
// launch (9.7.12.13) does not wait for the kernels before it if one of them uses launch_dependents: its
// griddepcontrol.wait does.
//
// Readings: the completion of a task includes that of a programmatic prerequisite, as streams complete in
// order; a griddepcontrol.wait waits for the prerequisite grids alone, not for what those have not waited for
// themselves. Cost: linear in tasks and edges, but for sets of events, which are as large as the grids.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "event/program_graph.h"
#include "lower/memory/errors.h"
#include "program/program.h"

namespace ptxmc::lower {

using TaskId = std::uint32_t;
using KernelId = std::uint32_t;  // index into Test::kernels.kernels

struct Task {
  std::optional<KernelId> kernel;              // none: no effect of its own
  const program::Instruction* call = nullptr;  // of the host thread that enqueues it
  std::vector<TaskId> after;                   // whose completion it waits for
  std::vector<TaskId> programmatic;            // whose completion its griddepcontrol.wait waits for
};

struct TaskPlan {
  std::vector<Task> tasks;
  std::vector<TaskId> of_kernel;                          // by KernelId
  std::vector<std::optional<KernelId>> kernel_of_thread;  // by ThreadId
  std::vector<std::vector<event::ThreadId>> threads;      // by KernelId
  std::vector<bool> launches_dependents;  // by KernelId: has a griddepcontrol.launch_dependents
  std::map<const program::Instruction*, std::vector<TaskId>> waits_for;  // synchronizing calls and queries
};

/// The plan of a program whose section `kernels` is stated. Errors: a kernel that is launched twice, or in a
/// graph and by itself; tasks that wait for each other; a stream or an event that two host threads use; a
/// kernel on two gpus.
TaskPlan plan_tasks(const program::Program& program, const Errors& errors);

/// The events at which threads and tasks meet, by what they belong to; filled while threads are lowered.
struct ApiEvents {
  using OfThreads = std::vector<std::pair<event::ThreadId, event::EventId>>;
  OfThreads starts, ends, grid_waits;
  std::vector<std::pair<const program::Instruction*, event::EventId>> calls;
};

/// API synchronization between events: the base relation hostsync. `always_early`: a programmatic dependent
/// may start before its prerequisites end whether or not these use launch_dependents (R233).
std::vector<std::pair<event::EventId, event::EventId>> api_synchronization(const TaskPlan& plan,
                                                                           const ApiEvents& events,
                                                                           bool always_early);

}  // namespace ptxmc::lower

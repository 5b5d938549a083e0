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
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::program {

using TaskId = std::uint32_t;
using KernelId = std::uint32_t;  // index into Program::kernels.kernels

struct Task {
  std::optional<KernelId> kernel;     // none: no effect of its own
  const Instruction* call = nullptr;  // of the host thread that enqueues it
  std::vector<TaskId> after;          // whose completion it waits for
  std::vector<TaskId> programmatic;   // whose completion its griddepcontrol.wait waits for
};

struct TaskPlan {
  std::vector<Task> tasks;
  std::vector<TaskId> of_kernel;                          // by KernelId
  std::vector<std::optional<KernelId>> kernel_of_thread;  // by index into Program::threads
  std::vector<std::vector<std::uint32_t>> threads;        // by KernelId: these indices
  std::vector<bool> launches_dependents;  // by KernelId: has a griddepcontrol.launch_dependents
  std::map<const Instruction*, std::vector<TaskId>> waits_for;  // synchronizing calls and queries

  /// Some two kernels of which neither waits for the other, be it in griddepcontrol.wait.
  bool may_overlap() const;
};

/// The plan of a program whose section `kernels` is stated. Throws InputError: a kernel that is launched twice, or in a
/// graph and by itself; tasks that wait for each other; a stream or an event that two host threads use; a
/// kernel on two gpus.
TaskPlan plan_tasks(const Program& program);

}  // namespace ptxmc::program

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/tasks.h"

#include <algorithm>
#include <set>

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::ThreadId;
using program::Instruction;
using program::Task;
using program::TaskId;
using program::TaskPlan;

/// Which events complete a task, and which pairs synchronize.
class Synchronization {
 public:
  Synchronization(const TaskPlan& plan, const ApiEvents& events, bool always_early)
      : plan_(plan), events_(events), always_early_(always_early) {
    for (const auto& [call, event] : events.calls) calls_[call].push_back(event);
    for (const auto& [thread, event] : events.ends) ends_[thread].push_back(event);
  }

  std::vector<std::pair<EventId, EventId>> run() {
    for (const auto& [thread, start] : events_.starts) {
      const Task& task = task_of(thread);
      add(call_of(task), start);
      for (const TaskId before : task.after) add(completion(before), start);
      if (starts_early(task)) continue;
      for (const TaskId before : task.programmatic) add(ends_of(plan_.tasks[before]), start);
    }
    for (const auto& [thread, wait] : events_.grid_waits) {
      if (!plan_.kernel_of_thread[thread]) continue;
      for (const TaskId before : task_of(thread).programmatic) add(ends_of(plan_.tasks[before]), wait);
    }
    for (const auto& [call, event] : events_.calls) {
      const auto waits = plan_.waits_for.find(call);
      if (waits == plan_.waits_for.end()) continue;
      for (const TaskId before : waits->second) add(completion(before), event);
    }
    return {pairs_.begin(), pairs_.end()};
  }

 private:
  using Events = std::set<EventId>;

  const Task& task_of(ThreadId thread) const {
    return plan_.tasks[plan_.of_kernel[plan_.kernel_of_thread[thread].value()]];
  }
  /// Note of 9.7.12.13: a grid of which no prerequisite uses launch_dependents need not wait (R233).
  bool starts_early(const Task& task) const {
    return always_early_ || std::any_of(task.programmatic.begin(), task.programmatic.end(), [&](TaskId t) {
             return plan_.launches_dependents[*plan_.tasks[t].kernel];
           });
  }
  Events call_of(const Task& task) const {
    const auto found = calls_.find(task.call);
    return task.call == nullptr || found == calls_.end() ? Events{}
                                                         : Events{found->second.begin(), found->second.end()};
  }
  Events ends_of(const Task& task) const {
    Events result;
    for (const ThreadId t : plan_.threads[*task.kernel]) {
      if (const auto found = ends_.find(t); found != ends_.end())
        result.insert(found->second.begin(), found->second.end());
    }
    return result;
  }

  /// The nearest events before the completion; what precedes those is ordered through them.
  const Events& completion(TaskId id) {
    if (const auto known = completion_.find(id); known != completion_.end()) return known->second;
    const Task& task = plan_.tasks[id];
    Events result = task.kernel ? ends_of(task) : call_of(task);
    const auto join = [&](TaskId before) {
      const Events& more = completion(before);
      result.insert(more.begin(), more.end());
    };
    if (!task.kernel) std::for_each(task.after.begin(), task.after.end(), join);
    std::for_each(task.programmatic.begin(), task.programmatic.end(), join);
    return completion_[id] = std::move(result);
  }

  void add(const Events& from, EventId to) {
    for (const EventId e : from) pairs_.emplace(e, to);
  }

  const TaskPlan& plan_;
  const ApiEvents& events_;
  bool always_early_;
  std::map<const Instruction*, std::vector<EventId>> calls_;
  std::map<ThreadId, std::vector<EventId>> ends_;
  std::map<TaskId, Events> completion_;
  std::set<std::pair<EventId, EventId>> pairs_;
};

}  // namespace

std::vector<std::pair<EventId, EventId>> api_synchronization(const TaskPlan& plan, const ApiEvents& events,
                                                             bool always_early) {
  return Synchronization(plan, events, always_early).run();
}

std::vector<std::pair<EventId, EventId>> dependent_starts(const TaskPlan& plan, const ApiEvents& events) {
  std::vector<std::pair<EventId, EventId>> out;
  const auto task_of = [&](ThreadId thread) { return plan.of_kernel[*plan.kernel_of_thread[thread]]; };
  for (const auto& [launching, launch] : events.launches) {
    if (!plan.kernel_of_thread[launching]) continue;
    for (const auto& [thread, start] : events.starts) {
      const std::vector<TaskId>& before = plan.tasks[task_of(thread)].programmatic;
      if (std::find(before.begin(), before.end(), task_of(launching)) != before.end())
        out.emplace_back(launch, start);
    }
  }
  return out;
}

}  // namespace ptxmc::lower

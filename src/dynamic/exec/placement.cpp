// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "dynamic/exec/registers.h"
#include "ptx/program/tasks.h"
#include "support/refuse.h"

namespace ptxmc::exec {

namespace {

class Placing {
 public:
  explicit Placing(const program::Program& program) : program_(program) {}

  Placed run() {
    order_tasks();
    std::vector<std::uint32_t> warps;
    for (const program::Thread& thread : program_.threads) warps.push_back(warp_of(thread));
    for (const bool named : {true, false}) {
      for (std::size_t i = 0; i < warps.size(); ++i) {
        if (program_.threads[i].placement.lane.has_value() == named)
          add(program_.threads[i], out_.warps[warps[i]]);
      }
    }
    for (std::uint32_t cta = 0; cta < out_.ctas.size(); ++cta)
      out_.clusters[out_.ctas[cta].cluster].push_back(cta);
    for (std::vector<std::uint32_t>& members : out_.clusters) {
      std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
        return out_.ctas[a].number < out_.ctas[b].number;
      });
      for (std::uint32_t rank = 0; rank < members.size(); ++rank) out_.ctas[members[rank]].rank = rank;
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(Position position, const std::string& message) const {
    ptxmc::refuse(program_.source, position, message);
  }

  /// One after the other, each after those that it waits for.
  void order_tasks() {
    out_.tasks.resize(std::max<std::size_t>(program_.kernels.kernels.size(), 1));
    if (!program_.kernels.stated) return;
    const program::TaskPlan plan = program::plan_tasks(program_);
    std::map<program::KernelId, std::uint32_t> done;
    while (done.size() < plan.of_kernel.size()) {
      for (program::KernelId kernel = 0; kernel < plan.of_kernel.size(); ++kernel) {
        std::set<program::KernelId> start, wait;
        const bool early = find_awaited(plan, kernel, start, wait);
        const auto is_done = [&](program::KernelId other) { return done.contains(other); };
        if (is_done(kernel) || !std::all_of(start.begin(), start.end(), is_done) ||
            !std::all_of(wait.begin(), wait.end(), is_done))
          continue;
        const auto number = static_cast<std::uint32_t>(done.size());
        done.emplace(kernel, number);
        for (const int thread : program_.kernels.kernels[kernel].threads) task_of_[thread] = number;
        for (const program::KernelId other : start) out_.tasks[number].at_start.push_back(done.at(other));
        for (const program::KernelId other : wait) out_.tasks[number].at_wait.push_back(done.at(other));
        if (!early) out_.tasks[number].ended = out_.tasks[number].at_wait;
      }
    }
  }

  /// Kernels that are over when this one starts, and after its griddepcontrol.wait. Does one of these launch
  /// dependents, so that it may start before they end (R233)?
  static bool find_awaited(const program::TaskPlan& plan, program::KernelId kernel,
                           std::set<program::KernelId>& start, std::set<program::KernelId>& wait) {
    const program::Task& task = plan.tasks[plan.of_kernel[kernel]];
    bool early = false;
    for (const program::TaskId before : task.after) add_completed(plan, before, start);
    for (const program::TaskId before : task.programmatic) {
      wait.insert(plan.tasks[before].kernel.value());
      early = early || plan.launches_dependents[*plan.tasks[before].kernel];
    }
    return early;
  }

  /// Those that are over when this task is complete; their threads know what these came after.
  static void add_completed(const program::TaskPlan& plan, program::TaskId id,
                            std::set<program::KernelId>& out) {
    const program::Task& task = plan.tasks[id];
    if (task.kernel) out.insert(*task.kernel);
    if (!task.kernel)
      for (const program::TaskId before : task.after) add_completed(plan, before, out);
    for (const program::TaskId before : task.programmatic) add_completed(plan, before, out);
  }

  /// Who names no lane is the lowest that is free.
  void add(const program::Thread& thread, PlacedWarp& warp) const {
    const auto free = std::find(warp.lanes.begin(), warp.lanes.end(), nullptr);
    auto lane = static_cast<std::size_t>(free - warp.lanes.begin());
    if (thread.placement.lane) lane = static_cast<std::size_t>(*thread.placement.lane);
    if (lane >= kLanes) refuse(thread.position, "a warp has 32 lanes");
    if (lane >= warp.lanes.size()) warp.lanes.resize(lane + 1);
    if (warp.lanes[lane] != nullptr) refuse(thread.position, "two threads are one lane");
    warp.lanes[lane] = &thread;
  }

  std::uint32_t cta_of(const program::Thread& thread, std::uint32_t task) {
    const program::Placement& at = thread.placement;
    const auto fresh = static_cast<std::uint32_t>(out_.ctas.size());
    std::uint32_t cta = fresh;
    if (at.cta) cta = ctas_.try_emplace({task, at.gpu, *at.cta}, fresh).first->second;
    if (cta != fresh) return cta;
    PlacedCta& added = out_.ctas.emplace_back();
    added.gpu = static_cast<std::uint32_t>(at.gpu);
    added.task = task;
    added.number = at.cta.value_or(std::numeric_limits<int>::max());
    const auto next = static_cast<std::uint32_t>(out_.clusters.size());
    added.cluster =
        at.cluster ? clusters_.try_emplace({task, at.gpu, *at.cluster}, next).first->second : next;
    if (added.cluster == next) out_.clusters.emplace_back();
    return cta;
  }

  std::uint32_t warp_of(const program::Thread& thread) {
    if (thread.placement.host) refuse(thread.position, "threads of the host are not supported by verify");
    const auto task = task_of_.find(thread.number);
    const std::uint32_t cta = cta_of(thread, task == task_of_.end() ? 0 : task->second);
    const auto fresh = static_cast<std::uint32_t>(out_.warps.size());
    std::uint32_t warp = fresh;
    if (thread.placement.warp) warp = warps_.try_emplace({cta, *thread.placement.warp}, fresh).first->second;
    if (warp == fresh) {
      out_.warps.emplace_back().cta = cta;
      out_.ctas[cta].warps.push_back(warp);
    }
    return warp;
  }

  const program::Program& program_;
  Placed out_;
  std::map<int, std::uint32_t> task_of_;
  std::map<std::tuple<std::uint32_t, int, int>, std::uint32_t> ctas_, clusters_;
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> warps_;
};

}  // namespace

Placed place(const program::Program& program) {
  return Placing(program).run();
}

}  // namespace ptxmc::exec

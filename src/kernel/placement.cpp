// SPDX-License-Identifier: Apache-2.0
#include "kernel/placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "kernel/registers.h"
#include "support/refuse.h"

namespace ptxmc::kernel {

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

  void order_tasks() {
    const auto& kernels = program_.kernels.kernels;
    std::map<std::string, std::uint32_t> done;
    std::vector<std::set<std::uint32_t>> completion;  // the tasks that are over when this one is complete
    while (done.size() < kernels.size()) {
      const std::size_t before = done.size();
      for (const program::Kernel& kernel : kernels) {
        const auto finished = [&](const std::string& name) { return done.contains(name); };
        if (done.contains(kernel.name) || !std::all_of(kernel.after.begin(), kernel.after.end(), finished) ||
            !std::all_of(kernel.programmatic.begin(), kernel.programmatic.end(), finished))
          continue;
        const auto number = static_cast<std::uint32_t>(done.size());
        done.emplace(kernel.name, number);
        for (const int thread : kernel.threads) task_of_[thread] = number;
        std::set<std::uint32_t>& whole = completion.emplace_back();
        whole.insert(number);
        std::set<std::uint32_t> start;
        PlacedTask task;
        bool early = false;
        for (const std::string& name : kernel.after) start.merge(std::set(completion[done.at(name)]));
        for (const std::string& name : kernel.programmatic) {
          task.at_wait.push_back(done.at(name));
          early = early || launches_dependents(name);
          whole.merge(std::set(completion[done.at(name)]));
        }
        if (!early) start.insert(task.at_wait.begin(), task.at_wait.end());
        task.at_start.assign(start.begin(), start.end());
        out_.tasks.push_back(std::move(task));
      }
      if (done.size() == before) refuse(kernels.front().position, "kernels wait for each other in a circle");
    }
    if (out_.tasks.empty()) out_.tasks.emplace_back();
  }

  /// Else its programmatic dependents start when it is over (R233).
  bool launches_dependents(const std::string& name) const {
    const auto& kernels = program_.kernels.kernels;
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const program::Kernel& other) { return other.name == name; });
    return std::any_of(kernel->threads.begin(), kernel->threads.end(), [&](int number) {
      const auto& threads = program_.threads;
      const auto thread = std::find_if(threads.begin(), threads.end(),
                                       [&](const program::Thread& other) { return other.number == number; });
      const auto& code = thread->code();
      return std::any_of(code.begin(), code.end(), [](const program::Instruction& instruction) {
        return instruction.opcode == isa::Opcode::griddep_launch;
      });
    });
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

}  // namespace ptxmc::kernel

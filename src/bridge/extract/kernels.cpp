// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <variant>

namespace ptxmc::extract {

Kernels::Kernels(const Log& log, const Slice& slice) : log_(log) {
  const auto task_of = [&](trace::Thread thread) { return log.warps.at(thread / trace::kLanes).task; };
  for (const trace::Thread thread : slice.threads)
    several_ = several_ || task_of(thread) != task_of(slice.threads.front());
  for (const Entry& entry : slice.entries) {
    const auto* wait = std::get_if<GridWait>(&entry.step);
    if (wait == nullptr) continue;
    const std::uint32_t own = task_of(entry.thread);
    for (const std::uint32_t task : wait->tasks) {
      if (log.over_at_start.at(own).contains(task)) continue;
      waits_for_[own].insert(task);
      launches_dependents_.insert(task);
    }
  }
}

std::string Kernels::section() const {
  std::vector<std::string> kernels;
  const auto add_edges = [&](std::string_view word, const std::set<std::uint32_t>& before) {
    std::vector<std::string> names;
    for (const std::uint32_t task : before) {
      if (threads_.contains(task)) names.push_back(fmt::format("K{}", task));
    }
    if (!names.empty()) kernels.back() += fmt::format(", {} {}", word, fmt::join(names, " "));
  };
  for (const auto& [task, threads] : threads_) {
    kernels.push_back(fmt::format("K{}: P{}", task, fmt::join(threads, " P")));
    add_edges("after", log_.over_at_start.at(task));
    if (const auto waits = waits_for_.find(task); waits != waits_for_.end())
      add_edges("programmatic after", waits->second);
  }
  return fmt::format("kernels {{ {}; }}", fmt::join(kernels, "; "));
}

}  // namespace ptxmc::extract

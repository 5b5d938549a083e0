// SPDX-License-Identifier: Apache-2.0
// The kernels of a slice whose threads are of several, and which of them comes after which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bridge/extract/slice.h"

namespace ptxmc::extract {

class Kernels {
 public:
  Kernels(const Log& log, const Slice& slice);

  bool several() const { return several_; }
  /// Others start while it is under way, and wait for it.
  bool launches_dependents(std::uint32_t task) const { return launches_dependents_.contains(task); }
  /// A thread of the test is of this task.
  void add(std::size_t thread, std::uint32_t task) { threads_[task].push_back(thread); }
  /// As a test has it, in one line.
  std::string section() const;

 private:
  const Log& log_;
  bool several_ = false;
  std::map<std::uint32_t, std::vector<std::size_t>> threads_;  // by task
  // the same: those that were under way when it started
  std::map<std::uint32_t, std::set<std::uint32_t>> waits_for_;
  std::set<std::uint32_t> launches_dependents_;
};

}  // namespace ptxmc::extract

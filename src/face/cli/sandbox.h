// SPDX-License-Identifier: Apache-2.0
// The tests of a run in child processes, so that a limit holds whatever a test does: a child that goes beyond
// it is stopped, that test's answer is Unknown, and another child goes on with the next one. A child takes
// tests until there are no more, so that a limit costs a run one process, not one a test.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "face/cli/child.h"
#include "face/cli/reports.h"

namespace ptxmc::cli {

class SandboxedRun {
 public:
  /// `workers` children at a time.
  SandboxedRun(const Work& work, const Confines& confines, std::size_t workers);
  ~SandboxedRun();
  SandboxedRun(const SandboxedRun&) = delete;
  SandboxedRun& operator=(const SandboxedRun&) = delete;

  /// The reports of an input, to be taken once each; calls `idle(inputs done)` now and then while it waits.
  std::vector<TestReport> take(std::size_t input, const std::function<void(std::size_t)>& idle);

 private:
  class Worker;
  class Counter;

  bool wait();
  TestReport abandoned(std::size_t input);
  bool complete(std::size_t input) const { return complete_[input] != 0; }

  const Work& work_;
  const Confines confines_;
  std::unique_ptr<Counter> next_;  // the input that the next free child takes
  std::vector<std::vector<TestReport>> reports_;
  std::vector<char> complete_;
  std::size_t done_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace ptxmc::cli

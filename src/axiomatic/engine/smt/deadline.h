// SPDX-License-Identifier: Apache-2.0
// Deadline: the query's budget of time, for encoding and solving alike, and the time spent.
#pragma once

#include <chrono>
#include <optional>

#include "support/budget.h"

namespace ptxmc::engine::smt {

class Deadline {
 public:
  explicit Deadline(const Budget& budget) : start_(Clock::now()), budget_(budget) {}
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Seconds left; nothing without a limit.
  std::optional<double> left() const { return budget_.left(); }
  const Budget& budget() const { return budget_; }
  void check() const { budget_.check(); }  ///< throws OutOfTime

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  Budget budget_;
};

}  // namespace ptxmc::engine::smt

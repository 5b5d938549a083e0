// SPDX-License-Identifier: Apache-2.0
// Time spent on one test; its limit is a Budget (support/budget.h).
#pragma once

#include <chrono>

namespace ptxmc::session {

/// Seconds since its construction.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ptxmc::session

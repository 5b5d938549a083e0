// SPDX-License-Identifier: Apache-2.0
// Time spent on one test.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace ptxmc::cli {

/// Seconds since its construction, and what a time limit leaves.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  std::optional<double> left(std::optional<double> limit) const {
    // An engine that starts late still gets a moment: it may answer at once, and it says "timeout" itself.
    if (limit) limit = std::max(*limit - seconds(), 0.001);
    return limit;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ptxmc::cli

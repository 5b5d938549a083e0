// SPDX-License-Identifier: Apache-2.0
// Deadline: the query's time limit, for encoding and solving alike.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

namespace ptxmc::engine::smt {

/// The time limit passed; solve() turns it into Unknown.
class OutOfTime : public std::exception {};

class Deadline {
 public:
  explicit Deadline(std::optional<double> seconds) : start_(Clock::now()), seconds_(seconds) {}
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Seconds left; nothing without a limit.
  std::optional<double> left() const {
    if (!seconds_) return std::nullopt;
    return *seconds_ - elapsed();
  }
  void check() const {
    if (seconds_ && elapsed() > *seconds_) throw OutOfTime();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  std::optional<double> seconds_;
};

}  // namespace ptxmc::engine::smt

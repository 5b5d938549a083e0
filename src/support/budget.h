// SPDX-License-Identifier: Apache-2.0
// Budget: the time that one test may take in all, and whether it is still wanted. The caller that starts the
// test hands it down, so that every stage of the test ends by the same moment.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <stop_token>
#include <utility>

namespace ptxmc {

/// The time passed, or the test was called off; the caller that started the work turns it into Unknown.
class OutOfTime : public std::exception {
 public:
  const char* what() const noexcept override { return "timeout"; }
};

class Budget {
 public:
  /// So many seconds from now; nothing: no limit.
  Budget(std::optional<double> seconds = std::nullopt,
         std::stop_token stop = {})  // NOLINT: a limit is a budget
      : stop_(std::move(stop)) {
    if (seconds && *seconds < kMostSeconds)
      end_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
  }
  Budget(std::nullopt_t) {}  // NOLINT

  /// Seconds left, negative afterwards; nothing: no limit.
  std::optional<double> left() const {
    if (stop_.stop_requested()) return -1;
    if (!end_) return std::nullopt;
    return std::chrono::duration<double>(*end_ - Clock::now()).count();
  }
  bool over() const { return stop_.stop_requested() || (end_ && Clock::now() > *end_); }
  void check() const {
    if (over()) throw OutOfTime();
  }
  /// That share of what is left.
  Budget share(double part) const { return end_ ? Budget(*left() * part, stop_) : *this; }
  /// At most so many seconds of it.
  Budget at_most(double seconds) const {
    const Budget other(seconds, stop_);
    return !end_ || (other.end_ && *other.end_ < *end_) ? other : *this;
  }
  /// Calls it off: for what cannot look itself.
  const std::stop_token& stop() const { return stop_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kMostSeconds = 1e9;  // a clock counts to about 290 years
  std::optional<Clock::time_point> end_;
  std::stop_token stop_;
};

}  // namespace ptxmc

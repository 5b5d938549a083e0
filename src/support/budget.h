// SPDX-License-Identifier: Apache-2.0
// Budget: the time that one test may take in all. A value that is handed down from whoever starts the test,
// so that every stage of it ends by the same moment.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

namespace ptxmc {

/// The time passed; whoever started the work turns it into Unknown.
class OutOfTime : public std::exception {
 public:
  const char* what() const noexcept override { return "timeout"; }
};

class Budget {
 public:
  /// So many seconds from now; nothing: no limit.
  Budget(std::optional<double> seconds = std::nullopt) {  // NOLINT: a limit is a budget
    if (seconds && *seconds < kMostSeconds)
      end_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
  }
  Budget(std::nullopt_t) {}  // NOLINT

  bool limited() const { return end_.has_value(); }
  /// Seconds left, negative afterwards; nothing: no limit.
  std::optional<double> left() const {
    if (!end_) return std::nullopt;
    return std::chrono::duration<double>(*end_ - Clock::now()).count();
  }
  bool over() const { return end_ && Clock::now() > *end_; }
  void check() const {
    if (over()) throw OutOfTime();
  }
  /// That share of what is left.
  Budget share(double part) const { return end_ ? Budget(*left() * part) : *this; }
  /// At most so many seconds of it.
  Budget at_most(double seconds) const {
    const Budget other(seconds);
    return !end_ || (other.end_ && *other.end_ < *end_) ? other : *this;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kMostSeconds = 1e9;  // a clock counts to about 290 years
  std::optional<Clock::time_point> end_;
};

}  // namespace ptxmc

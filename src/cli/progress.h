// SPDX-License-Identifier: Apache-2.0
// The progress line of a long run, on standard error: "[12/271] 3 s, MP+release+acquire.litmus".
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/settings.h"
#include "cli/streams.h"

namespace ptxmc::cli {

class ProgressLine {
 public:
  /// Progress::auto_ shows it on a terminal only, and only when the run takes longer than a second.
  ProgressLine(Streams& streams, Progress wanted, bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool enabled() const { return enabled_; }
  /// Draws the line; `current` is the file that is being waited for.
  void show(std::size_t done, std::size_t total, const std::string& current);
  /// Makes room for other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Streams& streams_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
// The progress line of a long run, on standard error: "[12/271] 3 s, MP+release+acquire.litmus".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "face/cli/settings.h"
#include "face/cli/streams.h"

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
  /// Shows a campaign: "[12/271] sweep 2, 3 s, 4 min 57 s left, MP.litmus".
  void show_campaign(std::size_t done, std::size_t total, unsigned sweep, double left,
                     const std::string& current);
  /// Shows one long run: "MP.json: 3 s, 120 million instructions, 41 million a second".
  void show_run(const std::string& name, std::uint64_t instructions);
  /// Makes room for other output. `adopt`: another process may have drawn the line.
  void clear(bool adopt = false);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& line);

  Streams& streams_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ptxmc::cli

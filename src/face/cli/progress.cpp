// SPDX-License-Identifier: Apache-2.0
#include "face/cli/progress.h"

#include <fmt/format.h>

#include <ostream>

#include "face/cli/duration.h"

namespace ptxmc::cli {

namespace {

constexpr std::chrono::seconds kPatience{1};  // shorter runs need no progress line
constexpr std::size_t kNameWidth = 60;        // so that the line stays one line

std::string shortened(const std::string& name) {
  return name.size() <= kNameWidth ? name : "..." + name.substr(name.size() - kNameWidth + 3);
}

}  // namespace

ProgressLine::ProgressLine(Streams& streams, Progress wanted, bool quiet)
    : streams_(streams),
      enabled_(wanted == Progress::on || (wanted == Progress::auto_ && streams.err_is_terminal && !quiet)) {}

void ProgressLine::show(std::size_t done, std::size_t total, const std::string& current) {
  const Clock::duration elapsed = Clock::now() - start_;
  if (!enabled_ || elapsed < kPatience) return;
  const long long seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  draw(fmt::format("[{}/{}] {} s, {}", done, total, seconds, shortened(current)));
}

void ProgressLine::show_campaign(std::size_t done, std::size_t total, unsigned sweep, double left,
                                 const std::string& current) {
  const Clock::duration elapsed = Clock::now() - start_;
  if (!enabled_ || elapsed < kPatience) return;
  draw(fmt::format("[{}/{}] sweep {}, {}, {} left, {}", done, total, sweep,
                   print_duration(std::chrono::duration<double>(elapsed).count()), print_duration(left),
                   shortened(current)));
}

void ProgressLine::show_run(const std::string& name, std::uint64_t instructions) {
  constexpr double kMillion = 1e6;
  const Clock::duration elapsed = Clock::now() - start_;
  if (!enabled_ || elapsed < kPatience) return;
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double millions = static_cast<double>(instructions) / kMillion;
  draw(fmt::format("{}: {:.0f} s, {:.0f} million thread instructions, {:.1f} million a second",
                   shortened(name), seconds, millions, millions / seconds));
}

void ProgressLine::draw(const std::string& line) {
  if (streams_.err_is_terminal) {
    streams_.err << "\r\x1b[K" << line << std::flush;
    drawn_ = true;
  } else {
    streams_.err << line << "\n" << std::flush;
  }
}

void ProgressLine::clear(bool adopt) {
  if (drawn_ || (adopt && enabled_ && streams_.err_is_terminal)) streams_.err << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace ptxmc::cli

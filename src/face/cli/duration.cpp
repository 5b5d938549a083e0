// SPDX-License-Identifier: Apache-2.0
#include "face/cli/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ptxmc::cli {

namespace {

constexpr double kMinute = 60, kHour = 3600, kMost = 1e9;

/// Seconds in a unit; 0: there is no such unit.
double unit_of(char letter) {
  switch (letter) {
    case 's':
      return 1;
    case 'm':
      return kMinute;
    case 'h':
      return kHour;
    default:
      return 0;
  }
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  double sum = 0, last_unit = 2 * kHour;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const double unit = text.empty() ? 1 : unit_of(text.front());
    if (unit == 0 || unit >= last_unit) return std::nullopt;      // largest units first, each once
    if (text.empty() && last_unit <= kHour) return std::nullopt;  // "5m3" could be anything
    if (!text.empty()) text.remove_prefix(1);
    last_unit = unit;
    sum += number * unit;
  }
  if (sum <= 0 || sum > kMost) return std::nullopt;
  return sum;
}

std::string duration_error(const std::string& text) {
  return parse_duration(text) ? "" : fmt::format("{}: expected a time such as 90, 90s, 5m or 1h30m", text);
}

std::string print_duration(double seconds) {
  seconds = std::max(seconds, 0.0);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, kMost));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace ptxmc::cli

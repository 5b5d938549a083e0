// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "support/check.h"

namespace ptxmc::bench {

namespace {

/// Two significant digits below 10, none behind the point above.
std::string short_number(double value) {
  if (value >= 10) return fmt::format("{:.0f}", value);
  if (value >= 1) return fmt::format("{:.1f}", value);
  if (value >= 0.1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  PTXMC_CHECK(cells.size() == rows_.front().size(), "a row has one cell for each heading");
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_.front().size(), 3);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out << (i == 0 ? fmt::format("| {:<{}} |", rows_[r][i], widths[i])
                     : fmt::format(" {:>{}} |", rows_[r][i], widths[i]));
    }
    out << "\n";
    if (r != 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out << (i == 0 ? "|" + std::string(widths[i] + 2, '-') + "|" : std::string(widths[i] + 1, '-') + ":|");
    }
    out << "\n";
  }
}

std::string in_seconds(double seconds) {
  return short_number(seconds);
}

std::string in_milliseconds(double seconds) {
  return short_number(1000 * seconds);
}

std::string as_ratio(double now, std::optional<double> before) {
  if (!before || *before <= 0) return "-";
  return fmt::format("{:.2f}", now / *before);
}

}  // namespace ptxmc::bench

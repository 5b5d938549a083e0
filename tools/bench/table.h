// SPDX-License-Identifier: Apache-2.0
// Markdown tables and the formats of their numbers.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ptxmc::bench {

/// A Markdown table; the first column is left-aligned, the others right-aligned. Every row has one cell a
/// heading.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : rows_{std::move(headings)} {}
  void add(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string in_seconds(double seconds);                          ///< "0.012", "1.3", "41"
std::string in_milliseconds(double seconds);                     ///< "0.31", "4.2", "120"
std::string as_ratio(double now, std::optional<double> before);  ///< "0.93", or "-" without a baseline

}  // namespace ptxmc::bench

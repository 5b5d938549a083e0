// SPDX-License-Identifier: Apache-2.0
// Ranges of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxmc::footprint {

/// Bytes begin .. begin + bytes - 1, from a place that the user of it knows.
struct Range {
  std::int64_t begin = 0;
  std::uint32_t bytes = 0;
  std::int64_t end() const { return begin + bytes; }
};

/// The same bytes in ascending ranges that neither overlap nor touch.
std::vector<Range> united(std::vector<Range> ranges);

/// Why numbers give no footprint; no text: they do. `unsupported`: the manual knows it, ptxmc does not.
struct Problem {
  std::string text;
  bool unsupported = false;
};

}  // namespace ptxmc::footprint

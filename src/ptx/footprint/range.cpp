// SPDX-License-Identifier: Apache-2.0
#include "ptx/footprint/range.h"

#include <algorithm>

namespace ptxmc::footprint {

std::vector<Range> united(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> out;
  for (const Range& range : ranges) {
    if (out.empty() || range.begin > out.back().end()) {
      out.push_back(range);
    } else {
      const std::int64_t end = std::max(out.back().end(), range.end());
      out.back().bytes = static_cast<std::uint32_t>(end - out.back().begin);
    }
  }
  return out;
}

}  // namespace ptxmc::footprint

// SPDX-License-Identifier: Apache-2.0
// Where the shared memory of each CTA is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::trace {

class SharedWindows {
 public:
  struct Window {
    std::uint32_t cta = 0;
    Range range;
  };
  void add(std::uint32_t cta, Range range) {
    const auto is_before = [](const Window& w, Address begin) { return w.range.begin < begin; };
    windows_.insert(std::lower_bound(windows_.begin(), windows_.end(), range.begin, is_before), {cta, range});
  }
  /// The one that holds the address; null: it is not of shared memory.
  const Window* find(Address at) const {
    const auto holds = [&](const Window& w) {
      return w.range.begin <= at && at - w.range.begin < w.range.bytes;
    };
    if (last_ < windows_.size() && holds(windows_[last_])) return &windows_[last_];
    const auto after = std::upper_bound(windows_.begin(), windows_.end(), at,
                                        [](Address a, const Window& w) { return a < w.range.begin; });
    if (after == windows_.begin() || !holds(*std::prev(after))) return nullptr;
    last_ = static_cast<std::size_t>(std::prev(after) - windows_.begin());
    return &*std::prev(after);
  }

 private:
  std::vector<Window> windows_;   // by address
  mutable std::size_t last_ = 0;  // that was found
};

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
// Bytes that are next to each other, many of them, and whether those of two owners overlap.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::trace {

/// Bytes [begin, end).
struct Interval {
  Address begin = 0, end = 0;
  friend auto operator<=>(const Interval&, const Interval&) = default;
};
using Intervals = std::vector<Interval>;

/// Makes them ascending, and one where they overlap or touch.
inline void join(Intervals& all) {
  std::sort(all.begin(), all.end());
  std::size_t kept = 0;
  for (const Interval& one : all) {
    if (kept != 0 && one.begin <= all[kept - 1].end) {
      all[kept - 1].end = std::max(all[kept - 1].end, one.end);
    } else {
      all[kept++] = one;
    }
  }
  all.resize(kept);
}

/// Makes the last one longer, if the interval begins in it or at its end; false: it does not.
inline bool extend_last(Intervals& all, const Interval& one) {
  if (all.empty() || one.begin < all.back().begin || one.begin > all.back().end) return false;
  all.back().end = std::max(all.back().end, one.end);
  return true;
}

/// Takes intervals in the order of their begins, and keeps the one that reaches furthest and the one of another owner that does.
/// `Owned` has `bytes`, an Interval, and `is_of_same(other)`.
template <typename Owned>
class Furthest {
 public:
  void add(const Owned& one) {
    if (first_ == nullptr || one.bytes.end > first_->bytes.end) {
      if (first_ != nullptr && !first_->is_of_same(one)) second_ = first_;
      first_ = &one;
    } else if (!one.is_of_same(*first_) && (second_ == nullptr || one.bytes.end > second_->bytes.end)) {
      second_ = &one;
    }
  }
  /// One of another owner that the interval, which does not begin before it, overlaps.
  const Owned* meets(const Owned& one) const {
    for (const Owned* other : {first_, second_}) {
      if (other != nullptr && !other->is_of_same(one) && other->bytes.end > one.bytes.begin) return other;
    }
    return nullptr;
  }

 private:
  const Owned *first_ = nullptr, *second_ = nullptr;
};

}  // namespace ptxmc::trace

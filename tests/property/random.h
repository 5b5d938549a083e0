// SPDX-License-Identifier: Apache-2.0
// A deterministic source of random draws: std::mt19937_64 is specified to the bit, the standard distributions
// are not, so the bounded draws are our own and a seed means the same program on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "support/check.h"

namespace ptxmc::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// 0..n-1; n > 0. The modulo bias (n is tiny) does not matter here.
  std::size_t below(std::size_t n) {
    PTXMC_CHECK(n > 0, "a draw from nothing");
    return static_cast<std::size_t>(engine_() % n);
  }
  /// low..high, both included.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename T>
  T pick(std::initializer_list<T> items) {
    return *(items.begin() + below(items.size()));
  }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  /// Index of a weight, with a probability in proportion to it.
  std::size_t weighted(std::initializer_list<unsigned> weights) {
    std::size_t total = 0;
    for (unsigned w : weights) total += w;
    std::size_t draw = below(total), index = 0;
    for (unsigned w : weights) {
      if (draw < w) return index;
      draw -= w;
      ++index;
    }
    return index;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
#include "ptx/rules/sparsity.h"

#include <algorithm>

namespace ptxmc::rules {

namespace {

constexpr std::int64_t kGroup = 4;  // threads

/// What four bits may say.
bool is_meaningful(const isa::Matrix& matrix, std::uint32_t bits) {
  if (matrix.a == isa::Element::tf32) return bits == 0b1110 || bits == 0b0100;
  const std::uint32_t first = bits & 3U, second = bits >> 2U;
  return matrix.ordered ? first < second : first != second;
}

}  // namespace

std::int64_t metadata_threads(const isa::Matrix& matrix) {
  constexpr std::int64_t kShortRow = 256, kWide = 16;  // bits
  const std::int64_t row = std::int64_t{matrix.k} * bits_of(matrix.a);
  return (bits_of(matrix.a) >= kWide ? 1 : 2) * std::max<std::int64_t>(row / kShortRow, 1);
}

bool is_selector(const isa::Matrix& matrix, std::int64_t selector) {
  return selector >= 0 && selector < kGroup / metadata_threads(matrix);
}

bool holds_metadata(const isa::Matrix& matrix, std::int64_t selector, unsigned lane) {
  return static_cast<std::int64_t>(lane) % kGroup / metadata_threads(matrix) == selector;
}

bool is_metadata(const isa::Matrix& matrix, std::uint32_t bits) {
  for (unsigned at = 0; at < 32; at += 4) {
    if (!is_meaningful(matrix, bits >> at & 15U)) return false;
  }
  return true;
}

}  // namespace ptxmc::rules

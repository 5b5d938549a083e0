// SPDX-License-Identifier: Apache-2.0
#include "lower/matrix_layout.h"

#include <algorithm>

namespace ptxmc::lower {
namespace {

constexpr std::int64_t kUnit = 16;         // bytes
constexpr std::int64_t kRows = 8;          // of a core matrix
constexpr std::int64_t kCore = 128;        // bytes
constexpr std::int64_t kPatternRow = 128;  // bytes: the permutation depends on address bits 7 to 9

/// Swizzle<B,4,3>: unit number xor the low B bits of the number of its 128-byte row.
std::int64_t swizzled(std::int64_t address, const MatrixLayout& layout) {
  if (layout.swizzle == 0) return address;
  const std::int64_t units = layout.swizzle / kUnit;  // 2, 4 or 8
  const std::int64_t row = address / kPatternRow - layout.base_offset + kRows;
  return address ^ ((row & (units - 1)) * kUnit);
}

/// Where unit `column` of row `row` lies before swizzling; a K-major row is of M or N.
std::int64_t k_major(const MatrixLayout& layout, std::int64_t row, std::int64_t column) {
  const std::int64_t group = row / kRows * layout.stride;
  if (layout.swizzle == 0) return group + column * layout.leading + row % kRows * kUnit;
  return group + row % kRows * layout.swizzle + column * kUnit;
}

/// An MN-major row is of K, and its columns of M or N.
std::int64_t mn_major(const MatrixLayout& layout, std::int64_t row, std::int64_t column) {
  if (layout.swizzle == 0) return column * layout.stride + row / kRows * layout.leading + row % kRows * kUnit;
  const std::int64_t units = layout.swizzle / kUnit;
  return column / units * layout.leading + column % units * kUnit + row / kRows * layout.stride +
         row % kRows * layout.swizzle;
}

std::int64_t rows_of(const MatrixSize& size, bool transposed) {
  return transposed ? size.depth : size.rows;
}

std::int64_t columns_of(const MatrixSize& size, bool transposed) {
  return (transposed ? size.rows : size.depth) * size.bits / (8 * kUnit);
}

}  // namespace

MatrixLayout packed_layout(const MatrixSize& size, std::int64_t swizzle, bool transposed) {
  MatrixLayout layout;
  layout.swizzle = swizzle;
  layout.transposed = transposed;
  const std::int64_t columns = columns_of(size, transposed), groups = rows_of(size, transposed) / kRows;
  if (swizzle == 0) {
    layout.leading = transposed ? columns * kCore : kCore;
    layout.stride = transposed ? kCore : columns * kCore;
  } else {
    layout.stride = kRows * swizzle;
    layout.leading = transposed ? groups * layout.stride : kUnit;
  }
  return layout;
}

std::vector<Range> footprint(const MatrixSize& size, const MatrixLayout& layout, std::int64_t start) {
  std::vector<std::int64_t> units;
  for (std::int64_t row = 0; row < rows_of(size, layout.transposed); ++row) {
    for (std::int64_t column = 0; column < columns_of(size, layout.transposed); ++column) {
      const std::int64_t at =
          layout.transposed ? mn_major(layout, row, column) : k_major(layout, row, column);
      units.push_back(swizzled(start + at, layout));
    }
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  std::vector<Range> ranges;
  for (const std::int64_t unit : units) {
    if (!ranges.empty() && ranges.back().end() == unit) {
      ranges.back().bytes += kUnit;
    } else {
      ranges.push_back({unit, static_cast<std::uint32_t>(kUnit)});
    }
  }
  return ranges;
}

}  // namespace ptxmc::lower

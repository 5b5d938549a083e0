// SPDX-License-Identifier: Apache-2.0
#include "ptx/footprint/matrix.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ptxmc::footprint {
namespace {

constexpr std::int64_t kUnit = 16;         // bytes
constexpr std::int64_t kRows = 8;          // of a core matrix
constexpr std::int64_t kCore = 128;        // bytes
constexpr std::int64_t kPatternRow = 128;  // bytes: the permutation depends on address bits 7 to 9

// Fields of a descriptor: offsets have 14 bits, in units of 16 bytes. The swizzles (bytes) by mode; -1: none.
constexpr std::uint64_t kOffset = 0x3fff;
constexpr int kLeadingAt = 16, kStrideAt = 32, kWgmmaModeAt = 62, kTensorModeAt = 61;
constexpr std::array<std::int64_t, 4> kWgmmaModes{0, 128, 64, 32};
constexpr std::array<std::int64_t, 8> kTensorModes{0, -1, 128, -1, 64, -1, 32, -1};

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

std::vector<Range> bytes_of(const MatrixSize& size, const MatrixLayout& layout, std::int64_t start) {
  std::vector<Range> units;
  for (std::int64_t row = 0; row < rows_of(size, layout.transposed); ++row) {
    for (std::int64_t column = 0; column < columns_of(size, layout.transposed); ++column) {
      const std::int64_t at =
          layout.transposed ? mn_major(layout, row, column) : k_major(layout, row, column);
      units.push_back({swizzled(start + at, layout), static_cast<std::uint32_t>(kUnit)});
    }
  }
  return united(std::move(units));
}

MatrixDescriptor decode_descriptor(MatrixUnit unit, std::uint64_t bits, Problem& problem) {
  const auto field = [&](int at, std::uint64_t mask) { return static_cast<std::int64_t>(bits >> at & mask); };
  MatrixDescriptor out;
  out.start = field(0, kOffset) * kUnit;
  out.layout.leading = field(kLeadingAt, kOffset) * kUnit;
  out.layout.stride = field(kStrideAt, kOffset) * kUnit;
  out.layout.base_offset = field(49, 7);
  if (unit == MatrixUnit::wgmma) {
    out.layout.swizzle = kWgmmaModes[static_cast<std::size_t>(field(kWgmmaModeAt, 3))];
    return out;
  }
  const std::int64_t mode = field(kTensorModeAt, 7), swizzle = kTensorModes[static_cast<std::size_t>(mode)];
  if (field(52, 1) != 0 || mode == 1) {
    problem = {"matrix descriptors with an absolute leading dimension or 32-byte swizzle atoms", true};
  } else if (field(46, 7) != 1 || swizzle < 0) {
    problem = {"no matrix descriptor: bits 46-48 are 1, the swizzling mode is 0, 2, 4 or 6"};
  }
  out.layout.swizzle = std::max<std::int64_t>(swizzle, 0);
  return out;
}

std::uint64_t encode_descriptor(MatrixUnit unit, const MatrixDescriptor& descriptor) {
  const auto units = [](std::int64_t bytes) { return static_cast<std::uint64_t>(bytes / kUnit) & kOffset; };
  const auto mode = [&](const auto& modes) {
    const auto found = std::find(modes.begin(), modes.end(), descriptor.layout.swizzle);
    return static_cast<std::uint64_t>(found == modes.end() ? 0 : found - modes.begin());
  };
  const MatrixLayout& layout = descriptor.layout;
  const std::uint64_t common = units(descriptor.start) | units(layout.leading) << kLeadingAt |
                               units(layout.stride) << kStrideAt |
                               static_cast<std::uint64_t>(layout.base_offset) << 49;
  return unit == MatrixUnit::wgmma ? common | mode(kWgmmaModes) << kWgmmaModeAt
                                   : common | std::uint64_t{1} << 46 | mode(kTensorModes) << kTensorModeAt;
}

FragmentLayout packed_fragment(const isa::Matrix& matrix) {
  std::int64_t rows = matrix.m, columns = matrix.n;
  if (matrix.fragment == 'a') columns = matrix.k;
  if (matrix.fragment == 'b') rows = matrix.k;
  FragmentLayout out;
  out.lines = matrix.column_a ? columns : rows;
  out.elements = matrix.column_a ? rows : columns;
  out.bits = bits_of(matrix.d);
  out.stride = out.elements;
  return out;
}

std::vector<Range> fragment_lines(const FragmentLayout& layout) {
  const auto bytes = static_cast<std::uint32_t>(layout.elements * layout.bits / 8);
  std::vector<Range> out;
  for (std::int64_t line = 0; line < layout.lines; ++line) {
    const std::int64_t begin = line * layout.stride * layout.bits / 8;
    if (!out.empty() && out.back().end() == begin) {
      out.back().bytes += bytes;
    } else {
      out.push_back({begin, bytes});
    }
  }
  return out;
}

}  // namespace ptxmc::footprint

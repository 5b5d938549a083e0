// SPDX-License-Identifier: Apache-2.0
// Boxes of tensor maps, row by row. Inside src/ptx/footprint only.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/footprint/tensor_map.h"

namespace ptxmc::footprint {

/// Where the fields of a map begin.
constexpr std::size_t kStrides = 1, kDims = 5, kBox = 10, kSteps = 15, kRank = 20, kType = 21,
                      kInterleave = 22, kSwizzle = 23, kFill = 24, kMode = 25, kAtomicity = 26;
constexpr std::size_t kChannels = kBox, kPixels = kBox + 1, kCorners = kBox + 2;  // im2col mode

constexpr std::int64_t kMaxBox = 256;  // elements of a dimension
constexpr std::int64_t kMaxBoxBytes = 1 << 18;

std::int64_t element_bytes(const MapFields& fields);
/// Bytes of a slice of channels, which is what a place of the tensor has (5.5.5): 16 or 32; 0: not interleaved.
std::int64_t slice_bytes(const MapFields& fields);
/// The dimension of slices, behind W, H and D; the last one is N. A box has one slice.
std::size_t slice_dimension(const MapFields& fields);
/// Bytes from a place to the next one in a dimension.
std::int64_t stride_of(const MapFields& fields, std::size_t d);
/// "step 1 of the tensor map is 9"
std::string numbered(const char* what, std::size_t d, std::int64_t value);
/// What the tensor has in a dimension: sizes, strides, steps.
std::string tensor_problem(const MapFields& fields, std::size_t d);

/// A row of a box: where its bytes begin in the tensor and in the box, and which of its elements are inside.
struct BoxRow {
  std::int64_t global, shared;  // of the first element of the box, inside or not
  std::int64_t first, last;     // elements inside
};
/// What is inside of the tensor of a row that begins at this column: the same in all rows.
BoxRow columns_at(const MapFields& fields, std::int64_t column);
/// A slice as such a row.
BoxRow slice_row(const MapFields& fields);
/// In pieces that swizzling leaves whole.
void add_row(Box& box, const MapFields& fields, const BoxRow& row);
/// `at` times the stride, in bytes; beyond the largest stride it is no place in any variable.
std::int64_t far(std::int64_t at, std::int64_t stride);

/// In im2col mode (im2col.cpp).
void set_pixels(MapFields& fields, const PixelBox& pixels);
Problem column_problem(const MapFields& fields, isa::LoadMode mode);
Problem column_place_problem(const MapFields& fields, isa::LoadMode mode,
                             const std::vector<std::int64_t>& places);
Box column_at(const MapFields& fields, isa::LoadMode mode, const std::vector<std::int64_t>& places);

}  // namespace ptxmc::footprint

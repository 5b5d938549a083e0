// SPDX-License-Identifier: Apache-2.0
// Tensor maps (5.5), and the bytes of the boxes that copies move: in tiled mode, and columns of pixels in im2col mode.
//
// A tensor map is an opaque object of 128 bytes (5.5.7). Here its fields lie one after the other, each at a
// place of its own, so that tensormap.replace changes the bytes of one field and leaves the others. Only
// where some instruction of the test replaces a field does a cell hold its value; the other bytes hold a
// token, the number of the declared map that they came from. So a map costs as many cells as it is changed
// in ways, and one that is copied stays that map.
//
// A box is a part of the tensor: dims x steps elements from the coordinates on, dimension 0 innermost. In
// shared memory its elements lie one after the other, in units of 16 bytes that swizzling permutes (5.5.6);
// in global memory they are as many runs of bytes as it has rows, less what is outside of the tensor
// (5.5.3.3). Each row of an interleaved tensor (5.5.5) is a slice of channels, of 16 or 32 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/footprint/range.h"
#include "ptx/isa/isa.h"

namespace ptxmc::footprint {

constexpr std::uint32_t kMapBytes = 128;
constexpr std::size_t kMaxDimensions = 5;

/// The fields of a map: address, 4 strides, 5 sizes of the tensor, 5 of the box, 5 traversal strides, rank -
/// 1, type, interleaving, swizzling, filling, mode, atomicity of the swizzling; the numbers are those of tensormap.replace (Table 30),
/// strides in bytes. In im2col mode the sizes of the box are channels, pixels, and the corners in W, H and D.
constexpr std::size_t kMapFields = 27;
using MapFields = std::array<std::int64_t, kMapFields>;

/// The place of a field among them; nothing when the field has no such ordinal.
std::optional<std::size_t> map_field(isa::MapField field, std::int64_t ordinal);
/// Its bytes in the object.
Range map_range(std::size_t field);
/// The field that is exactly these bytes.
std::optional<std::size_t> map_field_at(const Range& bytes);

/// What a map in im2col mode has for a box (5.5.4.1). Element 0 of each list is W, then H, D.
struct PixelBox {
  isa::LoadMode mode = isa::LoadMode::im2col;  // or im2col_w, im2col_w_128: corners in W alone
  std::vector<std::int64_t> lower, upper;      // pixels: from the first and from the last one of the tensor
  std::int64_t channels = 0;                   // of a pixel, elements
  std::int64_t pixels = 0;                     // of a column
  friend bool operator==(const PixelBox&, const PixelBox&) = default;
};

/// What maps have of them, in bytes, in the order of tensormap.replace (Table 30).
constexpr std::array<std::int64_t, 4> kSwizzles = {0, 32, 64, 128};
constexpr std::array<std::int64_t, 3> kInterleaves = {0, 16, 32};
/// Bytes that a swizzling of 128 keeps together (PTX ISA 8.6).
constexpr std::array<std::int64_t, 3> kAtoms = {16, 32, 64};

/// A map as a host describes it. Element 0 of each list is the innermost dimension.
struct TiledMap {
  isa::TensorElement element = isa::TensorElement::u32;
  std::vector<std::int64_t> dims;     // elements; as many as the tensor has dimensions
  std::vector<std::int64_t> strides;  // bytes, of dimension 1 and on; empty: rows lie one after the other
  std::vector<std::int64_t> box;      // elements; empty in im2col mode
  std::optional<PixelBox> pixels;     // im2col mode
  std::vector<std::int64_t> steps;    // traversal strides, elements; empty: 1
  std::int64_t swizzle = 0;           // one of kSwizzles
  std::int64_t atom = 16;             // one of kAtoms
  /// One of kInterleaves. Not 0 (5.5.5): the dimensions are W, H, D as far as there are some, slices of channels, then N;
  /// sizes, coordinates and strides count slices (README.md).
  std::int64_t interleave = 0;
  bool fill_nan = false;  // of elements outside of the tensor; else zero
  friend bool operator==(const TiledMap&, const TiledMap&) = default;
};
/// Its fields; the tensor begins at `address`.
MapFields fields_of(const TiledMap& map, std::int64_t address);
std::size_t map_rank(const MapFields& fields);
/// Type of the tensor's elements; the map must be valid.
isa::TensorElement map_element(const MapFields& fields);

/// Are elements outside of the tensor no numbers? Else they are zero.
bool fills_with_nan(const MapFields& fields);

/// Why no copy can go through such a map.
Problem map_problem(const MapFields& fields, isa::LoadMode mode = isa::LoadMode::tile);
/// Why no box is at these places through a valid map: coordinates, and behind them offsets.
Problem place_problem(const MapFields& fields, isa::LoadMode mode, const std::vector<std::int64_t>& places);

/// A piece of a box that is contiguous on both sides.
struct Run {
  std::int64_t global = 0;  // from the tensor's address
  std::int64_t shared = 0;  // from the box's address in shared memory
  std::uint32_t bytes = 0;
};
struct Box {
  std::uint32_t bytes = 0;  // in shared memory, elements outside of the tensor included
  std::vector<Run> runs;    // inside of the tensor, in the order of its elements
};
/// The box at these places, through a map for which the two above find no problem.
Box box_of(const MapFields& fields, isa::LoadMode mode, const std::vector<std::int64_t>& places);

}  // namespace ptxmc::footprint

// SPDX-License-Identifier: Apache-2.0
// Tensor maps in tiled mode (5.5), and the bytes of the boxes that copies move.
//
// A tensor map is an opaque object of 128 bytes (5.5.7). Here its fields lie one behind the other, each at a
// place of its own, so that tensormap.replace changes the bytes of one field and leaves the others. Only
// where some instruction of the test replaces a field does a cell hold its value; the other bytes hold a
// token, the number of the declared map that they came from. So a map costs as many cells as it is changed
// in ways, and one that is copied stays that map.
//
// A box is a part of the tensor: dims x steps elements from the coordinates on, dimension 0 innermost. In
// shared memory its elements lie one behind the other, in units of 16 bytes that swizzling permutes (5.5.6);
// in global memory they are as many runs of bytes as it has rows, less what is outside of the tensor
// (5.5.3.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/expr.h"
#include "isa/isa.h"
#include "litmus/test.h"
#include "lower/cells.h"

namespace ptxmc::lower {

constexpr std::uint32_t kMapBytes = 128;
constexpr std::size_t kMaxDimensions = 5;

/// The fields of a map: address, 4 strides, 5 sizes of the tensor, 5 of the box, 5 traversal strides, rank -
/// 1, type, interleaving, swizzling, filling; the numbers are those of tensormap.replace (Table 30), strides
/// in bytes.
constexpr std::size_t kMapFields = 25;
using MapFields = std::array<event::Value, kMapFields>;

/// The place of a field among them; nothing when the field has no such ordinal.
std::optional<std::size_t> map_field(isa::MapField field, std::int64_t ordinal);
/// Its bytes in the object.
Range map_range(std::size_t field);
/// The field that is exactly these bytes.
std::optional<std::size_t> map_field_at(const Range& bytes);

/// The fields of a declared map whose tensor begins at `address`.
MapFields fields_of(const litmus::TensorMap& map, event::Value address);
std::size_t map_rank(const MapFields& fields);
/// Type of the tensor's elements; the map must be valid.
isa::TensorElement map_element(const MapFields& fields);

/// Why no copy can go through such a map; empty when one can. `unsupported`: the manual knows it.
struct MapProblem {
  std::string text;
  bool unsupported = false;
};
MapProblem map_problem(const MapFields& fields);

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
/// The box at these coordinates through a valid map.
Box box_at(const MapFields& fields, const std::vector<std::int64_t>& coordinates);

}  // namespace ptxmc::lower

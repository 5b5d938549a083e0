// SPDX-License-Identifier: Apache-2.0
#include "ptx/footprint/tensor_map.h"

#include <algorithm>

#include "ptx/footprint/box.h"
#include "support/check.h"

namespace ptxmc::footprint {

namespace {

using Value = std::int64_t;
using isa::MapField;

constexpr std::int64_t kAlignment = 16;     // bytes: granularity of addresses, strides and rows (5.5.3.1)
constexpr std::int64_t kSwizzledRow = 128;  // bytes: swizzling permutes the units of such a row (5.5.6)
constexpr std::int64_t kMaxStep = 8;        // elements
constexpr std::int64_t kTooFar = std::int64_t{1}
                                 << 40;  // bytes: beyond the largest stride, and every variable

struct FieldRow {
  MapField field;
  std::size_t first;  // among the fields
  std::int64_t count;
};
constexpr FieldRow kFieldRows[] = {
    {MapField::global_address, 0, 1}, {MapField::global_stride, 1, 4},      {MapField::global_dim, 5, 5},
    {MapField::box_dim, 10, 5},       {MapField::element_stride, 15, 5},    {MapField::rank, 20, 1},
    {MapField::elemtype, 21, 1},      {MapField::interleave_layout, 22, 1}, {MapField::swizzle_mode, 23, 1},
    {MapField::fill_mode, 24, 1},     {MapField::swizzle_atomicity, 26, 1}};

/// Elements of the box along a dimension: every step-th.
std::int64_t box_elements(const MapFields& fields, std::size_t d) {
  return (fields[kBox + d] + fields[kSteps + d] - 1) / fields[kSteps + d];
}

/// The box of an interleaved tensor has one slice, whatever its size there (README.md).
std::int64_t box_places(const MapFields& fields, std::size_t d) {
  return slice_bytes(fields) != 0 && d == slice_dimension(fields) ? 1 : box_elements(fields, d);
}

/// Bytes of a swizzled row: 0 (none), 32, 64 or 128.
std::int64_t swizzle_span(const MapFields& fields) {
  return fields[kSwizzle] == 0 ? 0 : kAlignment << fields[kSwizzle];
}

std::string dimension_problem(const MapFields& fields, std::size_t d) {
  const Value box = fields[kBox + d];
  if (box < 1 || box > kMaxBox) return numbered("box dimension", d, box) + ", expected 1 to 256";
  return tensor_problem(fields, d);
}

/// The numbers of tensormap.replace.swizzle_atomicity (PTX ISA 8.6): 32 bytes, the same with 8 bytes flipped, 64.
constexpr Value kAtoms32 = 1, kAtomsFlipped = 2, kAtoms64 = 3;

/// Bytes that swizzling keeps together.
std::int64_t swizzle_atom(const MapFields& fields) {
  return fields[kAtomicity] == kAtoms32   ? 2 * kAlignment
         : fields[kAtomicity] == kAtoms64 ? 4 * kAlignment
                                          : kAlignment;
}

/// Where byte `at` of the box lies after swizzling; the box begins where the pattern does.
std::int64_t swizzled(std::int64_t at, std::int64_t span, std::int64_t atom) {
  if (span == 0) return at;
  return at ^ (at / kSwizzledRow % (span / atom) * atom);
}

/// One row of a box, or a unit of one where units are permuted, clipped to the tensor; joined to what it
/// continues.
void add_run(Box& box, const Run& run) {
  if (run.bytes == 0) return;
  if (!box.runs.empty()) {
    Run& last = box.runs.back();
    if (last.global + last.bytes == run.global && last.shared + last.bytes == run.shared) {
      last.bytes += run.bytes;
      return;
    }
  }
  box.runs.push_back(run);
}

}  // namespace

std::int64_t element_bytes(const MapFields& fields) {
  return isa::bits_of(map_element(fields)) / 8;
}

std::string numbered(const char* what, std::size_t d, Value value) {
  return std::string(what) + " " + std::to_string(d) + " of the tensor map is " + std::to_string(value);
}

std::string tensor_problem(const MapFields& fields, std::size_t d) {
  const Value size = fields[kDims + d], step = fields[kSteps + d];
  if (size < 1 || size > (Value{1} << 32)) return numbered("dimension", d, size) + ", expected 1 to 2^32";
  if (step < 1 || step > kMaxStep) return numbered("step", d, step) + ", expected 1 to 8";
  if (d == 0 && step != 1 && slice_bytes(fields) == 0)
    return "step 0 of a tensor map without interleaving is 1 (5.5.3.2)";
  if (d == 0) return "";
  const Value stride = fields[kStrides + d - 1], unit = std::max(kAlignment, slice_bytes(fields));
  if (stride < 0 || stride % unit != 0 || stride >= kTooFar)
    return numbered("stride", d, stride) + " bytes, expected a multiple of " + std::to_string(unit);
  return "";
}

std::int64_t slice_bytes(const MapFields& fields) {
  return fields[kInterleave] * kAlignment;
}

std::size_t slice_dimension(const MapFields& fields) {
  return map_rank(fields) - 2;
}

std::int64_t stride_of(const MapFields& fields, std::size_t d) {
  if (d > 0) return fields[kStrides + d - 1];
  return slice_bytes(fields) != 0 ? slice_bytes(fields) : element_bytes(fields);
}

std::optional<std::size_t> map_field(MapField field, std::int64_t ordinal) {
  for (const FieldRow& row : kFieldRows) {
    if (row.field == field && ordinal >= 0 && ordinal < row.count)
      return row.first + static_cast<std::size_t>(ordinal);
  }
  return std::nullopt;
}

Range map_range(std::size_t field) {
  PTXMC_CHECK(field < kMapFields, "no such field of a tensor map");
  const auto f = static_cast<std::int64_t>(field);
  constexpr auto kWide = static_cast<std::int64_t>(kDims);  // address and strides have 64 bits
  if (f < kWide) return {f * 8, 8};
  // The last two share four bytes.
  constexpr auto kLast = static_cast<std::int64_t>(kMode);
  const std::int64_t last = kWide * 8 + (kLast - kWide) * 4;
  return f < kLast ? Range{kWide * 8 + (f - kWide) * 4, 4} : Range{last + (f - kLast) * 2, 2};
}

std::optional<std::size_t> map_field_at(const Range& bytes) {
  for (std::size_t f = 0; f < kMapFields; ++f) {
    const Range range = map_range(f);
    if (range.begin == bytes.begin && range.bytes == bytes.bytes) return f;
  }
  return std::nullopt;
}

MapFields fields_of(const TiledMap& map, Value address) {
  MapFields fields{};
  fields[0] = address;
  const std::size_t rank = map.dims.size();
  fields[kRank] = static_cast<Value>(rank) - 1;
  fields[kType] = static_cast<Value>(map.element);
  fields[kInterleave] = map.interleave / 16;
  fields[kSwizzle] = map.swizzle == 0 ? 0 : map.swizzle == 32 ? 1 : map.swizzle == 64 ? 2 : 3;
  fields[kAtomicity] = map.atom == 32 ? kAtoms32 : map.atom == 64 ? kAtoms64 : 0;
  fields[kFill] = map.fill_nan ? 1 : 0;
  Value packed = map.interleave != 0 ? map.interleave : isa::bits_of(map.element) / 8;
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    fields[kDims + d] = d < rank ? map.dims[d] : 1;
    fields[kBox + d] = d < map.box.size() ? map.box[d] : 1;
    fields[kSteps + d] = d < map.steps.size() ? map.steps[d] : 1;
    if (d > 0) fields[kStrides + d - 1] = d <= map.strides.size() ? map.strides[d - 1] : packed;
    packed = packed > kTooFar / fields[kDims + d] ? kTooFar : packed * fields[kDims + d];
  }
  if (map.pixels) set_pixels(fields, *map.pixels);
  return fields;
}

namespace {

Problem tile_problem(const MapFields& fields) {
  std::int64_t bytes = stride_of(fields, 0);
  for (std::size_t d = 0; d < map_rank(fields); ++d) {
    if (std::string text = dimension_problem(fields, d); !text.empty()) return {std::move(text)};
    bytes *= box_places(fields, d);
    if (bytes > kMaxBoxBytes) return {"the box is larger than shared memory"};
  }
  return {};
}

}  // namespace

std::size_t map_rank(const MapFields& fields) {
  return static_cast<std::size_t>(fields[kRank]) + 1;
}

isa::TensorElement map_element(const MapFields& fields) {
  return static_cast<isa::TensorElement>(fields[kType]);
}

bool fills_with_nan(const MapFields& fields) {
  return fields[kFill] != 0;
}

namespace {

/// What interleaved layouts ask for (5.5.5; cuTensorMapEncodeTiled of the driver's manual).
Problem slice_problem(const MapFields& fields, isa::LoadMode mode) {
  if (fields[kInterleave] < 0 || fields[kInterleave] > 2) return {"the tensor map has no interleaved layout"};
  if (fields[kInterleave] == 0) return {};
  if (const std::size_t rank = map_rank(fields); rank < 3)
    return {"a tensor of " + std::to_string(rank) +
            " dimensions with an interleaved layout, expected 3 to 5 (5.5.5)"};
  if (slice_bytes(fields) == 2 * kAlignment && fields[kSwizzle] != 1)
    return {"interleaved slices of 32 bytes with a swizzling of " + std::to_string(swizzle_span(fields)) +
            " bytes, expected 32 (cuTensorMapEncodeTiled)"};
  if (isa::is_wide(mode)) return {"an interleaved layout in mode ." + std::string(isa::name_of(mode)), true};
  return {};
}

}  // namespace

Problem map_problem(const MapFields& fields, isa::LoadMode mode) {
  if (fields[kRank] < 0 || fields[kRank] >= static_cast<Value>(kMaxDimensions))
    return {numbered("rank", 0, fields[kRank] + 1) + ", expected 1 to 5"};
  if (fields[kType] < 0 || fields[kType] > static_cast<Value>(isa::TensorElement::tf32_ftz))
    return {"the tensor map has no type of elements"};
  constexpr Value kOf96 = 4;
  if (fields[kSwizzle] == kOf96) return {"a swizzling of 96 bytes", true};
  if (fields[kSwizzle] < 0 || fields[kSwizzle] > 3) return {"the tensor map has no swizzling mode"};
  if (fields[kAtomicity] < 0 || fields[kAtomicity] > kAtoms64)
    return {"the tensor map has no atomicity of its swizzling"};
  if (fields[kSwizzle] != 0 && fields[kAtomicity] == kAtomsFlipped)
    return {"a swizzling that flips 8 bytes (.swizzle_atomicity)", true};
  constexpr Value kOf128 = 3;
  if (fields[kSwizzle] != 0 && fields[kSwizzle] != kOf128 && fields[kAtomicity] != 0)
    return {"a swizzling of " + std::to_string(swizzle_span(fields)) + " bytes in pieces of " +
            std::to_string(swizzle_atom(fields)) + ", expected 16 (5.5.6)"};
  if (Problem found = slice_problem(fields, mode); !found.text.empty()) return found;
  if (fills_with_nan(fields) && map_element(fields) < isa::TensorElement::f16)
    return {"a tensor map of integers has no NaN to fill with"};
  if (isa::has_rows(mode) && map_rank(fields) == 2 && fields[kBox + 1] != 1)
    return {numbered("box dimension", 1, fields[kBox + 1]) +
            ", expected 1: rows have coordinates of their own"};
  if (const Value unit = std::max(kAlignment, slice_bytes(fields)); fields[0] % unit != 0)
    return {"the tensor is not aligned to " + std::to_string(unit) + " bytes"};
  const bool column = isa::is_im2col(mode) || fields[kMode] != 0;
  if (Problem found = column ? column_problem(fields, mode) : tile_problem(fields); !found.text.empty())
    return found;
  if (slice_bytes(fields) != 0) return {};
  const std::int64_t row = fields[kBox] * element_bytes(fields), span = swizzle_span(fields);
  if (row % kAlignment != 0)
    return {"a row of the box has " + std::to_string(row) + " bytes, expected a multiple of 16"};
  if (span != 0 && row > span) {
    return {"a row of the box has " + std::to_string(row) + " bytes, expected " + std::to_string(span) +
            ", those of the swizzling pattern"};
  }
  if (span != 0 && row < span)
    return {"a box whose rows are shorter than those of the swizzling pattern", true};
  return {};
}

void add_row(Box& box, const MapFields& fields, const BoxRow& row) {
  const std::int64_t slice = slice_bytes(fields), element = element_bytes(fields),
                     bytes = slice != 0 ? slice : fields[kBox] * element, span = swizzle_span(fields),
                     atom = swizzle_atom(fields), piece = span == 0 ? bytes : atom;
  for (std::int64_t at = 0; at < bytes; at += piece) {
    const std::int64_t begin = std::max(at, row.first * element),
                       end = std::min(at + piece, row.last * element);
    if (begin >= end) continue;
    add_run(box, {row.global + begin, swizzled(row.shared + at, span, atom) + begin - at,
                  static_cast<std::uint32_t>(end - begin)});
  }
}

BoxRow columns_at(const MapFields& fields, std::int64_t column) {
  return {column * element_bytes(fields), 0, std::max<std::int64_t>(0, -column),
          std::min(fields[kBox], fields[kDims] - column)};
}

BoxRow slice_row(const MapFields& fields) {
  return {0, 0, 0, slice_bytes(fields) / element_bytes(fields)};
}

std::int64_t far(std::int64_t at, std::int64_t stride) {
  if (stride == 0) return 0;  // the same elements again
  return at > kTooFar / stride ? kTooFar : at * stride;
}

namespace {

/// Row by row; of an interleaved tensor a row is a slice, and dimension 0 has as many as the box is wide.
Box box_at(const MapFields& fields, const std::vector<std::int64_t>& coordinates) {
  const std::size_t rank = map_rank(fields), first = slice_bytes(fields) != 0 ? 0 : 1;
  PTXMC_CHECK(coordinates.size() == rank, "coordinates of another rank");
  const std::int64_t bytes = first == 0 ? slice_bytes(fields) : fields[kBox] * element_bytes(fields);
  const BoxRow columns = first == 0 ? slice_row(fields) : columns_at(fields, coordinates[0]);
  std::int64_t rows = 1;
  for (std::size_t d = first; d < rank; ++d) rows *= box_places(fields, d);
  Box box;
  box.bytes = static_cast<std::uint32_t>(rows * bytes);
  for (std::int64_t r = 0; r < rows && columns.first < columns.last; ++r) {
    BoxRow row = columns;
    row.shared = r * bytes;
    std::int64_t rest = r;
    bool inside = true;
    for (std::size_t d = first; d < rank; ++d) {
      const std::int64_t at = coordinates[d] + rest % box_places(fields, d) * fields[kSteps + d];
      rest /= box_places(fields, d);
      inside = inside && at >= 0 && at < fields[kDims + d];
      if (inside) row.global += far(at, stride_of(fields, d));
    }
    if (inside) add_row(box, fields, row);
  }
  return box;
}

/// Four rows of a tensor of two dimensions, one after the other in shared memory (tile::gather4,
/// tile::scatter4): the first column, and the number of each row.
Box rows_at(const MapFields& fields, const std::vector<std::int64_t>& coordinates) {
  PTXMC_CHECK(map_rank(fields) == 2, "rows by number are of a tensor of two dimensions");
  const std::int64_t bytes = fields[kBox] * element_bytes(fields);
  const BoxRow columns = columns_at(fields, coordinates[0]);
  Box box;
  box.bytes = static_cast<std::uint32_t>(static_cast<std::int64_t>(coordinates.size() - 1) * bytes);
  for (std::size_t i = 1; i < coordinates.size(); ++i) {
    const std::int64_t at = coordinates[i];
    if (at < 0 || at >= fields[kDims + 1]) continue;
    BoxRow row = columns;
    row.shared = static_cast<std::int64_t>(i - 1) * bytes;
    row.global += far(at, fields[kStrides]);
    add_row(box, fields, row);
  }
  return box;
}

}  // namespace

Problem place_problem(const MapFields& fields, isa::LoadMode mode, const std::vector<std::int64_t>& places) {
  return isa::is_im2col(mode) ? column_place_problem(fields, mode, places) : Problem{};
}

Box box_of(const MapFields& fields, isa::LoadMode mode, const std::vector<std::int64_t>& places) {
  if (isa::is_im2col(mode)) return column_at(fields, mode, places);
  return isa::has_rows(mode) ? rows_at(fields, places) : box_at(fields, places);
}

}  // namespace ptxmc::footprint

// SPDX-License-Identifier: Apache-2.0
// Columns of pixels (5.5.4), and those along W alone (im2col::w, im2col::w::128).
//
// The dimensions of the tensor are C, then W, H, D as far as it has them, then N. The box bounds W, H and D: from the lower
// corner to the last pixel of the tensor moved by the upper corner. A column begins at the coordinates and goes
// through the box in the steps of the map, W innermost; behind the last pixel of a box it goes on at the lower
// corner of the next image. The offsets move each pixel, and the box with it.
#include <limits>

#include "ptx/footprint/box.h"
#include "support/check.h"

namespace ptxmc::footprint {

namespace {

using isa::LoadMode;

constexpr std::int64_t kMaxPixels = 1024;
constexpr std::int64_t kWidePixels = 128;  // of im2col::w::128

/// W, H and D, as far as the tensor has them: dimensions first() .. last().
std::size_t spatial(const MapFields& fields) {
  return map_rank(fields) - 2;
}
std::size_t first(const MapFields& fields) {
  return slice_bytes(fields) != 0 ? 0 : 1;
}
std::size_t last(const MapFields& fields) {
  return first(fields) + spatial(fields) - 1;
}

LoadMode mode_of(const MapFields& fields) {
  return static_cast<LoadMode>(fields[kMode]);
}

std::int64_t lower(const MapFields& fields, std::size_t d) {
  return static_cast<std::int16_t>(fields[kCorners + d - first(fields)] & 0xffff);
}

/// One behind the last pixel of the box in dimension d.
std::int64_t limit(const MapFields& fields, std::size_t d) {
  return fields[kDims + d] + static_cast<std::int16_t>(fields[kCorners + d - first(fields)] >> 16 & 0xffff);
}

std::int64_t pixels_of(const MapFields& fields, LoadMode mode) {
  return mode == LoadMode::im2col_w_128 ? kWidePixels : fields[kPixels];
}

std::int64_t pixel_bytes(const MapFields& fields) {
  return slice_bytes(fields) != 0 ? slice_bytes(fields) : fields[kChannels] * element_bytes(fields);
}

/// 5.5.4.1: corners have 16 bits in a tensor of three dimensions, 8 and 5 in those of four and five.
std::int64_t largest_corner(std::size_t rank, bool wide) {
  return wide || rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
}

std::string corner_problem(const MapFields& fields, std::size_t d, bool wide) {
  const std::int64_t most = largest_corner(map_rank(fields), wide);
  for (const std::int64_t corner : {lower(fields, d), limit(fields, d) - fields[kDims + d]}) {
    if (corner < -most || corner >= most) {
      return numbered("a corner in dimension", d, corner) + ", expected " + std::to_string(-most) + " to " +
             std::to_string(most - 1);
    }
  }
  if (lower(fields, d) >= limit(fields, d)) {
    return "the box of pixels is empty in dimension " + std::to_string(d) + ": from " +
           std::to_string(lower(fields, d)) + " to " + std::to_string(limit(fields, d) - 1);
  }
  return "";
}

std::string mode_problem(const MapFields& fields, LoadMode mode) {
  if (!isa::is_im2col(mode)) return "a tensor map in im2col mode, by a copy of tiles";
  if (mode_of(fields) == LoadMode::tile) return "a tensor map in tiled mode, by a copy in im2col mode";
  const LoadMode asked = mode == LoadMode::im2col_no_offsets ? LoadMode::im2col : mode;
  if (asked == mode_of(fields)) return "";
  return "a tensor map for ." + std::string(isa::name_of(mode_of(fields))) + ", by a copy in mode ." +
         std::string(isa::name_of(asked));
}

/// Between corners that may be anything, as coordinates may.
bool inside(std::int64_t at, std::int64_t from, std::int64_t to) {
  return at >= from && at < to;
}

}  // namespace

void set_pixels(MapFields& fields, const PixelBox& pixels) {
  fields[kMode] = static_cast<std::int64_t>(pixels.mode);
  fields[kChannels] = pixels.channels;
  fields[kPixels] = pixels.pixels;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t low = i < pixels.lower.size() ? pixels.lower[i] : 0,
                       high = i < pixels.upper.size() ? pixels.upper[i] : 0;
    fields[kCorners + i] = (low & 0xffff) | (high & 0xffff) << 16;
  }
}

Problem column_problem(const MapFields& fields, LoadMode mode) {
  if (std::string text = mode_problem(fields, mode); !text.empty()) return {std::move(text)};
  const std::size_t rank = map_rank(fields);
  if (rank < 3)
    return {"a tensor of " + std::to_string(rank) + " dimensions in im2col mode, expected 3 to 5"};
  if (fields[kChannels] < 1 || fields[kChannels] > kMaxBox)
    return {std::to_string(fields[kChannels]) + " channels of a pixel, expected 1 to 256"};
  if (fields[kPixels] < 1 || fields[kPixels] > kMaxPixels)
    return {std::to_string(fields[kPixels]) + " pixels of a column, expected 1 to 1024"};
  const bool wide = isa::is_wide(mode);
  if (wide && fields[kSwizzle] == 0)
    return {"a tensor map for ." + std::string(isa::name_of(mode)) + " has a swizzling mode"};
  for (std::size_t d = 0; d < rank; ++d) {
    if (std::string text = tensor_problem(fields, d); !text.empty()) return {std::move(text)};
  }
  for (std::size_t d = first(fields); d <= (wide ? 1 : last(fields)); ++d) {
    if (std::string text = corner_problem(fields, d, wide); !text.empty()) return {std::move(text)};
  }
  if (pixel_bytes(fields) * pixels_of(fields, mode) > kMaxBoxBytes)
    return {"the box is larger than shared memory"};
  return {};
}

Problem column_place_problem(const MapFields& fields, LoadMode mode,
                             const std::vector<std::int64_t>& places) {
  const std::size_t rank = map_rank(fields);
  const std::int64_t most = 2 * largest_corner(rank, false);
  PTXMC_CHECK(places.size() == rank + isa::offsets_of(mode, rank), "places of another rank");
  if (isa::is_wide(mode)) {
    // The manual says only by pictures where halo pixels, and those beyond the end of the box, come from.
    if (places[rank] != 0) return {"halo pixels of ." + std::string(isa::name_of(mode)), true};
    if (places[1] >= limit(fields, 1))
      return {"the first pixel at " + std::to_string(places[1]) +
              " lies to the right of the box, whose last is " + std::to_string(limit(fields, 1) - 1)};
    if (places[1] + (pixels_of(fields, mode) - 1) * fields[kSteps + 1] >= limit(fields, 1))
      return {"pixels of ." + std::string(isa::name_of(mode)) + " beyond the end of the box", true};
    return {};
  }
  for (std::size_t d = first(fields); d <= last(fields); ++d) {
    if (!inside(places[d], lower(fields, d), limit(fields, d))) {
      return {"coordinate " + std::to_string(places[d]) + " of dimension " + std::to_string(d) +
              " is outside of the box of pixels, " + std::to_string(lower(fields, d)) + " to " +
              std::to_string(limit(fields, d) - 1) + " (5.5.4.1)"};
    }
    const std::size_t offset = rank + d - first(fields);
    if (mode == LoadMode::im2col && !inside(places[offset], 0, most)) {
      return {"offset " + std::to_string(places[offset]) + " of dimension " + std::to_string(d) +
              ", expected 0 to " + std::to_string(most - 1) + " (5.5.4.1)"};
    }
  }
  return {};
}

Box column_at(const MapFields& fields, LoadMode mode, const std::vector<std::int64_t>& places) {
  const std::size_t rank = map_rank(fields), begin = first(fields), end = last(fields) + 1;
  const std::int64_t bytes = pixel_bytes(fields), pixels = pixels_of(fields, mode);
  const BoxRow columns = begin == 0 ? slice_row(fields) : columns_at(fields, places[0]);
  std::vector<std::int64_t> at(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(rank)),
      moved(rank, 0);
  for (std::size_t d = begin; d < end && mode == LoadMode::im2col; ++d) moved[d] = places[rank + d - begin];
  if (isa::is_wide(mode)) moved[1] = places[rank + 1];
  Box box;
  box.bytes = static_cast<std::uint32_t>(pixels * bytes);
  for (std::int64_t i = 0; i < pixels && columns.first < columns.last; ++i) {
    BoxRow row = columns;
    row.shared = i * bytes;
    bool in_tensor = true;
    for (std::size_t d = begin; d < rank; ++d) {
      in_tensor = in_tensor && inside(at[d] + moved[d], 0, fields[kDims + d]);
      if (in_tensor) row.global += far(at[d] + moved[d], stride_of(fields, d));
    }
    if (in_tensor) add_row(box, fields, row);
    std::size_t d = begin;
    at[d] += fields[kSteps + d];
    while (!isa::is_wide(mode) && d < end && at[d] >= limit(fields, d)) {
      at[d] = lower(fields, d);
      ++d;
      if (d < end) at[d] += fields[kSteps + d];
    }
    if (d == end) ++at[rank - 1];  // the next image
  }
  return box;
}

}  // namespace ptxmc::footprint

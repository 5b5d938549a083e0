// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/tensor_maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/isa/isa.h"

namespace ptxmc::gpu {

using program::TensorMap;

namespace {

constexpr std::int64_t kUnit = 16;  // bytes, of addresses, strides and rows of boxes
constexpr std::int64_t kMostBox = 256, kMostStep = 8;
constexpr std::int64_t kMostDim = std::int64_t{1} << 32, kMostStride = std::int64_t{1} << 40;

std::int64_t element_bytes(const TensorMap& map) {
  return isa::bits_of(map.element) / 8;
}

}  // namespace

std::vector<std::int64_t> strides_of(const TensorMap& map) {
  if (!map.strides.empty()) return map.strides;
  std::vector<std::int64_t> out;
  std::int64_t packed = map.interleave != 0 ? map.interleave : element_bytes(map);
  for (std::size_t d = 1; d < map.dims.size(); ++d) {
    packed = packed > kMostStride ? kMostStride : packed * map.dims[d - 1];
    out.push_back(packed);
  }
  return out;
}

std::int64_t step_of(const TensorMap& map, std::size_t d) {
  return d < map.steps.size() ? map.steps[d] : 1;
}

std::string map_refusal(const TensorMap& map) {
  const auto outside = [](std::int64_t value, std::int64_t most) { return value < 1 || value > most; };
  if (map.pixels) return "im2col mode";
  if (map.dims.empty() || map.dims.size() > 5 || map.box.size() != map.dims.size()) return "its rank";
  if (map.interleave != 0 && map.dims.size() < 3) return "an interleaved layout of fewer than 3 dimensions";
  if (map.interleave == 32 && map.swizzle != 32)
    return "an interleaved layout of 32 bytes without a swizzle of 32";
  const std::int64_t unit = std::max(kUnit, map.interleave);
  if (map.offset % unit != 0) return fmt::format("an address that is no multiple of {} bytes", unit);
  for (std::size_t d = 0; d < map.dims.size(); ++d) {
    if (outside(map.dims[d], kMostDim)) return fmt::format("a dimension of {} elements", map.dims[d]);
    if (outside(map.box[d], kMostBox)) return fmt::format("a box of {} elements in a dimension", map.box[d]);
    if (outside(step_of(map, d), kMostStep)) return fmt::format("a traversal stride of {}", step_of(map, d));
  }
  for (const std::int64_t stride : strides_of(map)) {
    if (stride % unit != 0 || outside(stride, kMostStride - 1))
      return fmt::format("a stride of {} bytes, which is no multiple of {}", stride, unit);
  }
  const std::int64_t inner = map.box[0] * element_bytes(map);
  if (inner % kUnit != 0)
    return fmt::format("a box whose rows have {} bytes, which is no multiple of {}", inner, kUnit);
  if (map.interleave == 0 && map.swizzle != 0 && inner > map.swizzle)
    return fmt::format("a box whose rows have {} bytes, more than its swizzle of {}", inner, map.swizzle);
  return "";
}

}  // namespace ptxmc::gpu

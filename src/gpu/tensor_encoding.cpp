// SPDX-License-Identifier: Apache-2.0
#include "gpu/tensor_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "isa/isa.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::TensorElement;
using program::TensorMap;

namespace {

constexpr std::int64_t kUnit = 16;  // bytes, of addresses, strides and rows of boxes
constexpr std::int64_t kMostBox = 256, kMostStep = 8;
constexpr std::int64_t kMostDim = std::int64_t{1} << 32, kMostStride = std::int64_t{1} << 40;

/// CUtensorMapDataType
int type_of(TensorElement element) {
  switch (element) {
    case TensorElement::u8:
      return 0;
    case TensorElement::u16:
      return 1;
    case TensorElement::u32:
      return 2;
    case TensorElement::s32:
      return 3;
    case TensorElement::u64:
      return 4;
    case TensorElement::s64:
      return 5;
    case TensorElement::f16:
      return 6;
    case TensorElement::f32:
      return 7;
    case TensorElement::f64:
      return 8;
    case TensorElement::bf16:
      return 9;
    case TensorElement::f32_ftz:
      return 10;
    case TensorElement::tf32:
      return 11;
    case TensorElement::tf32_ftz:
      return 12;
  }
  PTXMC_CHECK(false, "a type of tensor elements");
  return 0;
}

std::int64_t element_bytes(const TensorMap& map) {
  return isa::bits_of(map.element) / 8;
}

/// Bytes from an element to its neighbour in dimension 1 and on.
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

}  // namespace

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

EncodedMap encode(const Driver& driver, const TensorMap& map, abi::Pointer base) {
  struct alignas(abi::kTensorMapBytes) Opaque {
    EncodedMap bytes;
  };
  const auto rank = static_cast<unsigned>(map.dims.size());
  std::vector<unsigned long long> dims(map.dims.begin(), map.dims.end());
  const std::vector<std::int64_t> bytes = strides_of(map);
  std::vector<unsigned long long> strides(bytes.begin(), bytes.end());
  std::vector<unsigned> box, steps;
  for (std::size_t d = 0; d < rank; ++d) {
    box.push_back(static_cast<unsigned>(map.box[d]));
    steps.push_back(static_cast<unsigned>(step_of(map, d)));
  }
  if (strides.empty()) strides.push_back(0);  // not read, and not null
  // CUtensorMapSwizzle: 32, 64 and 128 bytes are 1, 2 and 3
  const int swizzle = map.swizzle == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(map.swizzle)) - 4;
  Opaque out{};
  auto* const address = reinterpret_cast<void*>(base + static_cast<abi::Pointer>(map.offset));
  driver.check(driver.functions().encode_tiled(out.bytes.data(), type_of(map.element), rank, address,
                                               dims.data(), strides.data(), box.data(), steps.data(),
                                               static_cast<int>(map.interleave / 16), swizzle, 0,
                                               map.fill_nan ? 1 : 0),
               "cuTensorMapEncodeTiled", fmt::format("the map of `{}`", map.base));
  return out.bytes;
}

}  // namespace ptxmc::gpu

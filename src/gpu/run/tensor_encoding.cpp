// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/tensor_encoding.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "ptx/isa/isa.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::TensorElement;
using program::TensorMap;

namespace {

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

}  // namespace

static_assert(kTensorMapBytes == abi::kTensorMapBytes);

EncodedMap encode(const Driver& driver, const TensorMap& map, abi::Pointer base) {
  struct alignas(kTensorMapBytes) Opaque {
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
  // CUtensorMapSwizzle: 32, 64 and 128 bytes are 1, 2 and 3; 128 bytes in pieces of 32 and 64 are 4 and 6
  const int spans = map.swizzle == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(map.swizzle)) - 4;
  const int swizzle = map.atom == 32 ? 4 : map.atom == 64 ? 6 : spans;
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

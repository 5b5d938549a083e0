// SPDX-License-Identifier: Apache-2.0
#include "ptx/footprint/map_bytes.h"

#include <algorithm>
#include <cstring>

namespace ptxmc::footprint {

namespace {

constexpr std::uint32_t kIsMap = 0x70616d74;  // the last bytes of the object

}  // namespace

std::array<std::uint8_t, kMapBytes> map_bytes(const MapFields& fields) {
  std::array<std::uint8_t, kMapBytes> out{};
  for (std::size_t f = 0; f < kMapFields; ++f) {
    const Range range = map_range(f);
    std::memcpy(out.data() + range.begin, &fields.at(f), range.bytes);
  }
  std::memcpy(out.data() + kMapBytes - sizeof kIsMap, &kIsMap, sizeof kIsMap);
  return out;
}

std::optional<MapFields> map_of(const std::uint8_t* bytes) {
  if (std::memcmp(bytes + kMapBytes - sizeof kIsMap, &kIsMap, sizeof kIsMap) != 0) return std::nullopt;
  MapFields out{};
  for (std::size_t f = 0; f < kMapFields; ++f) {
    const Range range = map_range(f);
    std::memcpy(&out.at(f), bytes + range.begin, range.bytes);
  }
  // Sizes go up to 2^32, which is 0 in 32 bits.
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    std::int64_t& size = out.at(*map_field(isa::MapField::global_dim, static_cast<std::int64_t>(d)));
    if (size == 0) size = std::int64_t{1} << 32U;
  }
  return out;
}

void begin_map(std::uint8_t* bytes) {
  const bool zeros = std::all_of(bytes, bytes + kMapBytes, [](std::uint8_t b) { return b == 0; });
  if (zeros) std::memcpy(bytes + kMapBytes - sizeof kIsMap, &kIsMap, sizeof kIsMap);
}

}  // namespace ptxmc::footprint

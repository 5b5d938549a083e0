// SPDX-License-Identifier: Apache-2.0
// A tensor map as the 128 bytes of its object, for code that has bytes: so that it is copied and changed as
// they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ptx/footprint/tensor_map.h"

namespace ptxmc::footprint {

/// The fields at their places, and behind them what tells that they are a map.
std::array<std::uint8_t, kMapBytes> map_bytes(const MapFields& fields);
/// Nothing: these 128 bytes are no map.
std::optional<MapFields> map_of(const std::uint8_t* bytes);
/// Zeros are a map from the first field on that is replaced, as compilers make maps in a kernel (no section says that
/// they may not): all fields are 0 until they are replaced.
void begin_map(std::uint8_t* bytes);

}  // namespace ptxmc::footprint

// SPDX-License-Identifier: Apache-2.0
// Memory in a file of launches: buffers, what is in them, addresses, numbers. What is wrong is reported to the Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "input/launch/fields.h"
#include "input/launch/launch.h"

namespace ptxmc::launch {

inline constexpr std::int64_t kMaxBytes = std::int64_t{1}
                                          << 40;  ///< of a buffer, and of what is counted in bytes

/// {"A": {"bytes": 64}, ...}, to the end of `out`. `what`: the member that has them.
void read_buffers(Values& values, const Json& json, std::string_view what, std::vector<Buffer>& out);
/// {"buffer": "A", "offset": 0}
std::optional<Pointer> read_pointer(Values& values, const JsonObject& object, Position position);
/// A number as it is written, to be taken as one of `type`.
std::optional<Number> read_number(Values& values, const Json& json, std::optional<isa::Type> type,
                                  std::string_view what);

}  // namespace ptxmc::launch

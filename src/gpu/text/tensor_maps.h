// SPDX-License-Identifier: Apache-2.0
// Tensor maps of a test: their geometry, and what the driver asks of one. Encoding needs the driver (gpu/run/tensor_encoding.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::gpu {

constexpr std::size_t kTensorMapBytes = 128;  // sizeof(CUtensorMap), and its greatest alignment

/// Bytes from an element to its neighbour in dimension 1 and on.
std::vector<std::int64_t> strides_of(const program::TensorMap& map);
/// Elements from one that a box takes to the next, in a dimension.
std::int64_t step_of(const program::TensorMap& map, std::size_t d);
/// Why the driver would not encode the map (requirements of cuTensorMapEncodeTiled), empty: it does.
std::string map_refusal(const program::TensorMap& map);

}  // namespace ptxmc::gpu

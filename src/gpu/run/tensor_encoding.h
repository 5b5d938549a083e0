// SPDX-License-Identifier: Apache-2.0
// Tensor maps as the device has them: opaque objects of 128 bytes that the driver encodes.
#pragma once

#include <array>
#include <string>

#include "gpu/driver/driver.h"
#include "gpu/text/tensor_maps.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

using EncodedMap = std::array<unsigned char, kTensorMapBytes>;

/// `base`: the address of the variable that the map names. Throws DriverError.
EncodedMap encode(const Driver& driver, const program::TensorMap& map, abi::Pointer base);

}  // namespace ptxmc::gpu

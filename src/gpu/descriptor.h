// SPDX-License-Identifier: Apache-2.0
// Matrix descriptors (9.7.14.5.1.2.7): what `desc(x, ...)` of a litmus test is in a 64-bit register.
#pragma once

#include <cstdint>

#include "litmus/test.h"

namespace ptxmc::gpu {

/// All fields but the start address, of the descriptor at operand `i` of a wgmma.mma_async.
std::uint64_t descriptor_fields(const litmus::Instruction& instruction, std::size_t i);

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
// Matrix descriptors of wgmma (9.7.14.5.1.2.7) and of tcgen05 (9.7.16.4.1): what `desc(x, ...)` of a litmus
// test is in a 64-bit register.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// All fields but the start address, of the descriptor in that role of a wgmma.mma_async, tcgen05.mma or
/// tcgen05.cp. Nothing: a tcgen05.mma whose instruction descriptor is not a valid constant, so that the shape
/// of the matrix is not known.
std::optional<std::uint64_t> descriptor_fields(const program::Instruction& instruction, isa::Role role);

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
// Which instructions need all lanes of a warp, and which only one may do.
#pragma once

#include "isa/isa.h"

namespace ptxmc::gpu {

/// All lanes of the warp (or warpgroup) run it together.
bool is_collective(isa::Opcode opcode);
/// The warp must have converged: barriers of warps, .aligned operations.
bool needs_convergence(isa::Opcode opcode, const isa::Modifiers& modifiers);
/// It changes memory or an object, so that each lane more would change it again.
bool has_effect(isa::Opcode opcode);
/// The four warps of a warpgroup run it.
bool needs_warpgroup(isa::Opcode opcode);

}  // namespace ptxmc::gpu

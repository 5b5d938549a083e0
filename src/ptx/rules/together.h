// SPDX-License-Identifier: Apache-2.0
// Which instructions the threads of a warp execute together, or not at all.
#pragma once

#include "ptx/isa/isa.h"

namespace ptxmc::rules {

/// R169: a barrier of a CTA that is .aligned, of the forms that name no instance.
bool is_aligned_barrier(isa::Opcode opcode, const isa::Modifiers& modifiers);

/// Instructions with .aligned: all threads of the warp that have not exited execute the same one. Those are aligned barriers of CTAs
/// and clusters (R169), products and moves of matrices, collective operations on tensor memory, setmaxnreg, and the copy of a
/// tensor map with its fence.
bool is_together(isa::Opcode opcode, const isa::Modifiers& modifiers);

}  // namespace ptxmc::rules

// SPDX-License-Identifier: Apache-2.0
#include "ptx/rules/together.h"

#include "ptx/isa/opcode.h"

namespace ptxmc::rules {

using isa::Opcode;

bool is_aligned_barrier(Opcode opcode, const isa::Modifiers& modifiers) {
  const bool bar = opcode == Opcode::bar_sync || opcode == Opcode::bar_arrive || opcode == Opcode::bar_red;
  return bar && modifiers.aligned && !modifiers.warp && !modifiers.instance_first;
}

bool is_together(Opcode opcode, const isa::Modifiers& modifiers) {
  const isa::OpcodeTraits& traits = isa::traits(opcode);
  switch (traits.family) {
    case isa::Family::barrier:
      return is_aligned_barrier(opcode, modifiers) ||
             ((opcode == Opcode::cluster_arrive || opcode == Opcode::cluster_wait) && modifiers.aligned);
    case isa::Family::matrix:
    case isa::Family::tensor:
      return traits.has(isa::Trait::collective);
    default:
      return opcode == Opcode::setmaxnreg || opcode == Opcode::tensormap_cp_fenceproxy;
  }
}

}  // namespace ptxmc::rules

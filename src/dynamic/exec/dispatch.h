// SPDX-License-Identifier: Apache-2.0
// What executes each instruction, and which ones cannot be run.
#pragma once

#include <string>

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// On registers alone: compute_of (dynamic/exec/arithmetic.h) has its function, if it is evaluated.
bool is_pure(isa::Opcode opcode);
/// Act::none: it is pure, a jump, or cannot be run.
Act act_of(isa::Opcode opcode);
/// Why an instruction cannot be run, as a whole message; empty: it can.
std::string refusal(const program::Instruction& instruction);

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// What the .target of a module lacks for the instructions of its kernels (11.1.2, "Target ISA Notes" of chapter 9.7).
#pragma once

#include "input/launch/devices.h"
#include "ptx/program/program.h"
#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// A device that the target is of has the instruction: one that only an architecture has, its family or later ones have as `a` or `f`
/// (wgmma is no other's).
bool has(const Target& target, const program::Instruction& instruction);

/// An error for each kernel that has an instruction which its module's target does not: ptxas refuses the module, so that no device runs
/// it.
void check_targets(const ptx::Module& module, const program::Program& program);

}  // namespace ptxmc::launch

// SPDX-License-Identifier: Apache-2.0
// What the .target of a module lacks for the instructions of its kernels (11.1.2, "Target ISA Notes" of chapter 9.7).
#pragma once

#include <vector>

#include "input/launch/devices.h"
#include "ptx/program/program.h"
#include "ptx/text/syntax.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

/// A device that the target is of has the instruction: one that only an architecture has, its family or later ones have as `a` or `f`
/// (wgmma is no other's).
bool has(const Target& target, const program::Instruction& instruction);

/// A note for each kernel that has an instruction which its module's target does not: ptxas refuses it, and what is said of
/// it here is of no device that the module is for.
std::vector<Diagnostic> target_notes(const ptx::Module& module, const program::Program& program);

}  // namespace ptxmc::launch

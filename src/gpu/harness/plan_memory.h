// SPDX-License-Identifier: Apache-2.0
// What of a test's memory is more than variables of one name: aliases, names of the constant proxy, tensor
// maps, parameters. Internal to harness.h.
#pragma once

#include "gpu/harness/plan.h"
#include "gpu/text/facts.h"

namespace ptxmc::gpu {

/// Bytes of constant memory that a module has.
inline constexpr std::size_t kConstantBytes = 65536;

/// The test with the tensor maps that are in constant memory, or parameters, in global memory: each instance
/// has a map of its own, more than there is room for elsewhere, and the copies that read it take a generic
/// address. What reads it otherwise reads global memory.
program::Program with_global_maps(const program::Program& test);
/// Has it names of the constant proxy? Their window has no room for what stress needs.
bool names_constants(const program::Program& test);
/// Does the variable have a place of its own in the memory of the harness?
bool has_row(const Facts& facts, const program::Variable& variable);
/// An integer of at most 8 bytes that is a parameter of the kernel.
bool is_parameter(const Facts& facts, const program::Variable& variable);
/// Throws CannotRun for a variable that an instance cannot have.
void check_memory(const Facts& facts, const program::Variable& variable);
/// Fills in aliases, window, maps and rows. The globals must be there.
void plan_names(const Facts& facts, Plan& plan);

}  // namespace ptxmc::gpu

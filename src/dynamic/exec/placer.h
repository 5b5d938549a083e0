// SPDX-License-Identifier: Apache-2.0
// A run from its program: warps with their registers, memory, and the first values.
#pragma once

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// Fills a machine with what runs. Throws InputError where it cannot.
void place_program(const program::Program& program, Machine& machine);

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Lowering: Program to ProgramGraph.
#pragma once

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/unit/options.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

/// Throws OutOfTime beyond the budget, and InputError for what the program gets wrong (unknown label, size mismatch ...) or what is not
/// supported, with its position.
event::ProgramGraph lower(const program::Program& program, const Options& options);

}  // namespace ptxmc::lower

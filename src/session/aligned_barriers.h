// SPDX-License-Identifier: Apache-2.0
// The letter of 9.7.12.1 for litmus tests: all threads of a CTA execute the same aligned barrier. [reading aligned-barrier]
#pragma once

#include <optional>
#include <string>

#include "axiomatic/event/program_graph.h"
#include "ptx/program/program.h"

namespace ptxmc::session {

/// Threads of one CTA whose aligned barriers of one form are different instructions: the second of two such, quoted.
/// Threads execute the same instruction if they have one body.
std::optional<std::string> aligned_barrier_apart(const program::Program& program,
                                                 const event::ProgramGraph& graph);

}  // namespace ptxmc::session

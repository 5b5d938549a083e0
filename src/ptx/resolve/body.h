// SPDX-License-Identifier: Apache-2.0
// Bodies for programs that no litmus file holds.
#pragma once

#include <memory>
#include <string>

#include "ptx/program/program.h"
#include "ptx/text/syntax.h"

namespace ptxmc::resolve {

/// Gives every instruction of `body` its opcode, modifiers and operands. Its statements are labels, instructions and
/// registers; what else its names mean are variables of the program. Throws InputError with all that is wrong.
std::shared_ptr<const program::Body> resolve_body(const program::Program& program, ptx::Body body,
                                                  const std::string& owner);

}  // namespace ptxmc::resolve

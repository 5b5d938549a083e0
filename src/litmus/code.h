// SPDX-License-Identifier: Apache-2.0
// Parts of litmus tests by themselves, for programs that no litmus file holds: bodies of PTX, and conditions.
#pragma once

#include <memory>
#include <string>

#include "litmus/test.h"
#include "ptx/syntax.h"

namespace ptxmc::litmus {

/// Gives every instruction of `body` its opcode, modifiers and operands. Its statements are labels, instructions and
/// registers; what else its names mean are variables of the program. Throws InputError with all that is wrong.
std::shared_ptr<const Body> resolve_body(const program::Program& program, ptx::Body body,
                                         const std::string& owner);

/// `out[0] == 10 /\ P0:%r1 == 2`, over the variables and threads of the program. Throws InputError.
ConditionPtr read_condition(const SourcePtr& text, const program::Program& program);

}  // namespace ptxmc::litmus

// SPDX-License-Identifier: Apache-2.0
// What operands are against what their instructions ask of them (9.4.1, chapter 10).
#pragma once

#include "ptx/resolve/code.h"
#include "ptx/text/errors.h"

namespace ptxmc::resolve {

/// Reports declared registers of another width, kind or type than their places take, and special registers and
/// addresses of variables where none can stand. Registers that nothing declares are as wide as they are used.
void check_operand_types(const Context& context, const Code& code);

}  // namespace ptxmc::resolve

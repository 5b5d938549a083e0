// SPDX-License-Identifier: Apache-2.0
// Lines of the language that a module was compiled from, by `.loc` and `.file` (11.5).
#pragma once

#include "ptx/syntax.h"
#include "support/origins.h"

namespace ptxmc::launch {

/// Of the lines with instructions. A `.loc` with `inlined_at` names the place of its caller; who that is inlined at in
/// turn, the last `.loc` of that place before it says, as compilers write a caller before what it calls. Null: there is no `.loc`.
OriginsPtr source_lines(const ptx::Module& module);

}  // namespace ptxmc::launch

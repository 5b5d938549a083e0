// SPDX-License-Identifier: Apache-2.0
// Lines of the language that a module was compiled from, by `.loc` and `.file` (11.5).
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/text/syntax.h"
#include "support/diagnostic.h"
#include "support/origins.h"

namespace ptxmc::ptx {

/// The origins of the lines with instructions. A `.loc` with `inlined_at` names the place of its caller; who
/// that is inlined at in turn, the last `.loc` of that place before it says, as compilers write a caller
/// before what it calls. Null: there is no `.loc`.
/// `also`: lines of statements that could not be read, ascending.
OriginsPtr source_lines(const Module& module, const std::vector<std::uint32_t>& also = {});

/// Messages about lines of the module with what these were compiled from. `unread`: of statements that are not in it.
enum class Statements : std::uint8_t { read, unread };
Diagnostics with_origins(const Diagnostics& diagnostics, const Module& module, Statements about);

}  // namespace ptxmc::ptx

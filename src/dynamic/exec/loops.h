// SPDX-License-Identifier: Apache-2.0
// Natural loops of a code.
#pragma once

#include <optional>
#include <vector>

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// The first instructions of the loops around an instruction, from the outermost loop inwards. Nothing: one of its loops is
/// entered at more than one instruction, so that its iterations cannot be counted.
std::optional<std::vector<trace::Site>> loops_around(const Code& code, trace::Site site);

}  // namespace ptxmc::exec

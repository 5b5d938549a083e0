// SPDX-License-Identifier: Apache-2.0
// Waits whose answer nothing looks at: they may have given another one, and order nothing.
#pragma once

#include <functional>

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// May what an instruction writes decide where a thread goes, or what it accesses, before its registers are written again?
/// `carries`: a store leaves what others decide by.
bool is_looked_at(const Code& code, std::size_t step, const std::function<bool(const Step&)>& carries);

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Conditions by themselves, for programs that no litmus file holds.
#pragma once

#include <memory>
#include <string>

#include "input/litmus/test.h"
#include "ptx/text/syntax.h"

namespace ptxmc::litmus {

/// `out[0] == 10 /\ P0:%r1 == 2`, over the variables and threads of the program. Throws InputError.
ConditionPtr read_condition(const SourcePtr& text, const program::Program& program);

}  // namespace ptxmc::litmus

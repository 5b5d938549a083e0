// SPDX-License-Identifier: Apache-2.0
// What a run leaves out because of the shape of its program, whatever it shows: a claim about all schedules names it.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace ptxmc::kernel {

/// Sentences without a full stop; empty: nothing.
std::vector<std::string> left_out(const program::Program& program);

}  // namespace ptxmc::kernel

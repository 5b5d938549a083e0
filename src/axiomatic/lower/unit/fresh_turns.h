// SPDX-License-Identifier: Apache-2.0
// Loops around loops that wait. What libcu++ does while a value stays what it was, say, is a loop of two polls and another
// waiting loop between them: its turns are no straight line, and yet one that fails leaves nothing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "axiomatic/lower/unit/loops.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

/// Does each turn of the loop begin as the first did, and do nothing but read what the first could have read, until the
/// loop is left? Then turns before the last may be dropped, as those of a loop that waits are (src/axiomatic/lower/README.md).
bool turns_are_fresh(const std::vector<program::Instruction>& code, const std::vector<flow::Jump>& jumps,
                     const Loop& loop, const std::set<std::string>& observed);

/// Is the loop entered at its header, and accesses nothing at an address that rests on what it has read? Then a turn that turns
/// out to change nothing, and to end where it began, may be dropped (flow/idle_turns.h): the next turn shows what it may race with.
bool idle_turns_show(const std::vector<program::Instruction>& code, const std::vector<flow::Jump>& jumps,
                     const Loop& loop);

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Where in the code of a kernel an instruction can be put in that bears on two accesses: where blocks begin
// and end, and around what acts; elsewhere it could not be told.
#pragma once

#include <cstddef>
#include <vector>

#include "ptx/program/instruction.h"

namespace ptxmc::repair {

/// Before which instructions, from the one to the other of two, and on to the end of the loop that both are in; ascending.
std::vector<std::size_t> points_between(const std::vector<program::Instruction>& code, Position first,
                                        Position second);
/// Before which instructions, from the one there upwards in the text, whatever jumps there are; the nearest first.
std::vector<std::size_t> points_above(const std::vector<program::Instruction>& code, Position from);

/// The number of the instruction that begins there; the size of the code: none does.
std::size_t index_of(const std::vector<program::Instruction>& code, Position at);

}  // namespace ptxmc::repair

// SPDX-License-Identifier: Apache-2.0
// The order of a thread's code. Compilers place blocks as they like: a loop is entered in the middle of its text, jumps
// back from several places, or leaves by a jump that another one jumps over. What finds loops that wait (unit/waiting.h)
// reads text. So code with such loops is written anew: the same instructions on the same paths, each loop an interval that
// is entered at its beginning, is closed by one jump at its end, and is left by conditional jumps.
#pragma once

#include <optional>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::lower {

/// The code, written anew. Nothing: its loops have that form, or some of them has several entries.
std::optional<std::vector<program::Instruction>> with_plain_loops(
    const std::vector<program::Instruction>& code);

/// The same of all bodies of a program; nothing: they have that form.
std::optional<program::Program> with_plain_loops(const program::Program& program);

}  // namespace ptxmc::lower

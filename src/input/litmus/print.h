// SPDX-License-Identifier: Apache-2.0
// Printing litmus tests: print() parses back to the same test.
#pragma once

#include <cstdint>
#include <string>

#include "input/litmus/test.h"
#include "ptx/program/print.h"

namespace ptxmc::litmus {

using program::print;

/// Lanes of warps that share a body: each a block of its own, or one block of `threads N`.
enum class Lanes : std::uint8_t { apart, together };
/// The whole test in design.md's notation.
std::string print(const Test& test, Lanes lanes = Lanes::apart);
/// All behind its header: without name, documentation, keys and verdicts.
std::string print_meaning(const Test& test, Lanes lanes = Lanes::apart);

}  // namespace ptxmc::litmus

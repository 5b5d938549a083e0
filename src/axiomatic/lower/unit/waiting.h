// SPDX-License-Identifier: Apache-2.0
// Loops that wait: which of a thread's loops do nothing in a turn that fails (src/axiomatic/lower/README.md has the rule).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axiomatic/lower/unit/loops.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

/// Registers that may be read when threads have ended.
std::set<std::string> observed_registers(const program::Program& program);

/// The turn of a loop that only waits: what it executes before the instruction that leaves it. Nothing: there is more to
/// the loop. `jumps` goes with `code`.
std::optional<Spin> waits(const std::vector<program::Instruction>& code, const std::vector<flow::Jump>& jumps,
                          const Loop& loop, const std::set<std::string>& observed);

/// Registers of such a loop that only say how long a turn takes; none of other loops.
std::set<std::string> delay_of(const std::vector<program::Instruction>& code,
                               const std::vector<flow::Jump>& jumps, const Loop& loop,
                               const std::set<std::string>& observed);

/// Does the loop repeat a compare-and-swap, of what the last one read, until it succeeds?
bool retries(const std::vector<program::Instruction>& code, const std::vector<flow::Jump>& jumps,
             const Loop& loop);

}  // namespace ptxmc::lower

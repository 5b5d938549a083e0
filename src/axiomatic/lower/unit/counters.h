// SPDX-License-Identifier: Apache-2.0
// Loops that count: what else may end them, they end when the count has been reached, as in `for (i = 0; i < 5; ++i) if
// (try()) break`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "axiomatic/lower/unit/loops.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

/// A register that each turn changes by a constant, and what an exit compares it with: a number, or a register that the
/// loop does not write.
struct Counter {
  std::string name;
  std::variant<std::int64_t, std::string> limit;
};

/// The counters of a loop; `jumps` goes with `code`.
std::vector<Counter> counters_of(const std::vector<program::Instruction>& code,
                                 const std::vector<flow::Jump>& jumps, const Loop& loop);

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Registers that have any value: the result of a function without a body, and what a call of a function has not written yet. Each call
// has registers and .param variables of its own (5.1.6, 7.1), which in the flat body are the same in every turn of a loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/program/instruction.h"
#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// A register of 32 bits, through which others get their values.
inline constexpr const char* kAnyScratch = "any$value";
inline constexpr const char* kAnySum = "any$sum";

/// The register of so many bits, 1 for a predicate, gets any value: that of a performance counter, which nothing says.
std::vector<ptx::Instruction> any_value(const ptx::Instruction& like, const std::string& name,
                                        std::uint32_t bits);

/// The carry flag does: calls do not keep it (9.7.2).
std::vector<ptx::Instruction> any_carry(const ptx::Instruction& like);

/// Without those values of such registers that nothing reads before they are written.
std::shared_ptr<const program::Body> without_unread_any(std::shared_ptr<const program::Body> body);

}  // namespace ptxmc::launch

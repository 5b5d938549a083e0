// SPDX-License-Identifier: Apache-2.0
// Which registers an instruction reads and writes.
#pragma once

#include <string>
#include <vector>

#include "ptx/program/instruction.h"

namespace ptxmc::program {

/// Registers that an instruction reads (guard included) and writes.
struct RegisterUse {
  std::vector<std::string> reads, writes;
};
/// Name of the upper half of a .b128 register; the register's own name is that of the lower half.
std::string upper_half_name(const std::string& name);
/// CC.CF (9.7.2), which no program can name.
constexpr const char* kCarry = "CC.CF";
/// The instruction reads it, or reads or writes it.
bool uses_carry(const Instruction& instruction);
RegisterUse register_use(const Instruction& instruction);

}  // namespace ptxmc::program

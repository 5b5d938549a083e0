// SPDX-License-Identifier: Apache-2.0
// Trees as PTX text, of which parse_module() makes the same tree again.
#pragma once

#include <string>

#include "ptx/syntax.h"

namespace ptxmc::ptx {

std::string print(const Module& module);
std::string print(const Instruction& instruction);
std::string print(const Operand& operand);

}  // namespace ptxmc::ptx

// SPDX-License-Identifier: Apache-2.0
// Since when an instruction computes with numbers of a type: "Target ISA Notes" of 9.7.1 to 9.7.6 and 9.7.8.
#pragma once

#include "ptx/isa/isa.h"
#include "ptx/isa/target.h"

namespace ptxmc::isa {

/// What the types and the variants of arithmetic, comparisons and conversions need. Other instructions need nothing by it.
Target target_of_numbers(Opcode opcode, const Modifiers& modifiers);

}  // namespace ptxmc::isa

// SPDX-License-Identifier: Apache-2.0
// Which operation on values an arithmetic instruction is (9.7.1, 9.7.8).
#pragma once

#include <optional>

#include "axiomatic/event/expr.h"
#include "ptx/isa/isa.h"

namespace ptxmc::lower {

/// The operation of an instruction whose operands and result have one width; nothing for all others.
std::optional<event::Op> arithmetic_of(isa::Opcode opcode, bool is_signed);

}  // namespace ptxmc::lower

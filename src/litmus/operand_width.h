// SPDX-License-Identifier: Apache-2.0
// What an instruction asks of its register operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "litmus/test.h"

namespace ptxmc::litmus {

/// What an operand asks of a register: so many bits, or (not `exact`) at least so many; 1 is a predicate.
struct Use {
  std::uint16_t bits = 32;
  bool exact = true;
};

/// A scalar at operand `i` of an instruction, whose modifiers are completed. `second`: of a pair `%a|%b`.
/// Nothing: the operand says nothing.
std::optional<Use> use_of(const Instruction& instruction, std::size_t i, bool second = false);

/// Place of the instruction descriptor of a tcgen05.mma.
std::size_t tensor_descriptor(const Instruction& instruction);

}  // namespace ptxmc::litmus

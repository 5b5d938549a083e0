// SPDX-License-Identifier: Apache-2.0
// The registers of a thread and their types: as declared, else as its instructions need them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/facts.h"
#include "litmus/test.h"

namespace ptxmc::gpu {

/// What an operand asks of a register: so many bits, or (not `exact`) at least so many; 1 is a predicate.
struct Use {
  std::uint16_t bits = 32;
  bool exact = true;
};

/// A scalar at operand `i` of an instruction, whose modifiers are completed. `second`: of a pair `%a|%b`.
/// Nothing: the operand says nothing.
std::optional<Use> use_of(const litmus::Instruction& instruction, std::size_t i, bool second = false);

/// Place of the instruction descriptor of a tcgen05.mma.
std::size_t tensor_descriptor(const litmus::Instruction& instruction);

/// A register of the thread, special registers apart.
struct RegisterType {
  std::string name;  ///< without %
  isa::Type type;    ///< untyped (.b32 ...) where the test does not declare it
};

/// In order of appearance, declared ones first. A register that one instruction takes as .b32 and another as
/// .b64 gets the wider type; the assembler says what it thinks of it.
std::vector<RegisterType> registers_of(const Facts& facts, const litmus::Thread& thread);

}  // namespace ptxmc::gpu

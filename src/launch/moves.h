// SPDX-License-Identifier: Apache-2.0
// Instructions that stand for what a launch replaces. Each has the place in the text, and the guard, of another.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/syntax.h"

namespace ptxmc::launch {

ptx::Operand reg(const std::string& name);
ptx::Operand integer(std::int64_t value);
/// The address of a variable.
ptx::Operand variable(const std::string& name);

/// `base.words operands`
ptx::Instruction make(const ptx::Instruction& like, std::string_view base,
                      std::initializer_list<std::string_view> words, std::vector<ptx::Operand> operands);
ptx::Instruction jump(const std::string& label, const ptx::Instruction& like);
/// mov of so many bits, 1 for a predicate.
ptx::Instruction move(const ptx::Instruction& like, std::uint32_t bits, const ptx::Operand& to,
                      const ptx::Operand& from);
ptx::Instruction sum(const ptx::Instruction& like, std::uint32_t bits, const ptx::Operand& to,
                     const ptx::Operand& a, const ptx::Operand& b);
/// The lower `from_bits` of a register, extended to the destination's bits.
ptx::Instruction convert(const ptx::Instruction& like, std::uint32_t bits, const ptx::Operand& to,
                         std::uint32_t from_bits, bool is_signed, const ptx::Operand& from);

/// "b32"
std::string_view bits_type(std::uint32_t bits);
/// A value of so many bytes as a number of 64 bits.
std::int64_t extended(std::uint64_t value, std::uint32_t bytes, bool is_signed);

}  // namespace ptxmc::launch

// SPDX-License-Identifier: Apache-2.0
// Instructions that stand for others which are rewritten. Each has the place in the text, and the guard, of another.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

Operand reg(const std::string& name);
Operand integer(std::int64_t value);
/// The address of a variable.
Operand variable(const std::string& name);

/// `base.words operands`
Instruction make(const Instruction& like, std::string_view base,
                 std::initializer_list<std::string_view> words, std::vector<Operand> operands);
Instruction jump(const std::string& label, const Instruction& like);
/// What is not defined there ends the kernel: "no-label" and the like, rows of isa::forms() that no text can have.
Instruction trap(const Instruction& like, std::string_view why);
/// mov of so many bits, 1 for a predicate.
Instruction move(const Instruction& like, std::uint32_t bits, const Operand& to, const Operand& from);
Instruction sum(const Instruction& like, std::uint32_t bits, const Operand& to, const Operand& a,
                const Operand& b);
/// The lower `from_bits` of a register, extended to the destination's bits.
Instruction convert(const Instruction& like, std::uint32_t bits, const Operand& to, std::uint32_t from_bits,
                    bool is_signed, const Operand& from);

/// `brx.idx index, targets`, without its guard: a comparison and a branch for each label, through that predicate. An index
/// beyond them is undefined behaviour (9.7.11.4): such a thread comes to `beyond`, a trap.
std::vector<Instruction> indexed_branch(const Instruction& like, const Operand& index,
                                        const std::vector<std::string>& labels, const std::string& predicate,
                                        Instruction beyond);

/// "b32"
std::string_view bits_type(std::uint32_t bits);
/// A value of so many bytes as a number of 64 bits.
std::int64_t extended(std::uint64_t value, std::uint32_t bytes, bool is_signed);

}  // namespace ptxmc::ptx

// SPDX-License-Identifier: Apache-2.0
// Vectors of registers (5.4.2, 6.4.3): `.reg .v4 .u32 v;` declares v.x to v.w, which are also v.r to v.a. Special registers such
// as %ctaid are vectors of four, of which the last element is zero (10).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

/// The largest one.
constexpr std::uint8_t kMostComponents = 4;
/// "x" to "w".
std::string_view component(std::uint8_t index);
/// The number of a component by either of its names; kMostComponents: it is none.
std::uint8_t component_index(std::string_view word);

/// The elements of a `mov` of vectors, `mov.v2` or `mov.v4`; 0: it is none.
std::uint8_t moved_elements(const Instruction& instruction);
/// Makes an operand that names a special register with components the vector of them; true: it was one.
bool expand_special(Operand& operand);
/// Makes an operand that names a vector of so many registers the vector of them.
void expand(Operand& operand, std::uint8_t count);

/// One `mov` for each pair of elements, of which the sources are vectors of equal length. They happen at once: where one writes
/// what another reads, they go through the registers that `fresh` names, one an element.
std::vector<Instruction> element_moves(const Instruction& like, const Operand& to, const Operand& from,
                                       const std::vector<std::string>& fresh);
/// Is it a store of 32 bytes that leaves out elements by `_`?
bool is_partial_store(const Instruction& instruction);
/// The stores of its elements that are written, one each (8.2.4: they have no order); empty: there are none.
std::vector<Instruction> element_stores(const Instruction& instruction);

/// Does one of the moves write what another one reads?
bool overlap(const Operand& to, const Operand& from);

}  // namespace ptxmc::ptx

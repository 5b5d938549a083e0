// SPDX-License-Identifier: Apache-2.0
// Shapes and types of matrix instructions (9.7.13, 9.7.14): which go together, and how many registers a
// fragment has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ptx/isa/operand.h"

namespace ptxmc::isa {

/// "m16n8k16": fills m, n and k.
bool parse_shape(std::string_view word, Matrix& matrix);
std::string shape_name(const Matrix& matrix);
std::optional<Element> parse_element(std::string_view word);

/// mma and wgmma.mma_async: whether the manual lists this combination of shape, types and sparsity.
bool is_listed(Opcode opcode, const Modifiers& modifiers);

enum class Fragment : std::uint8_t { a, b, c, d };
/// D of a product is its result.
Fragment fragment_of(Role role);
/// Registers of a fragment in one thread.
std::size_t fragment_registers(Opcode opcode, const Matrix& matrix, Fragment fragment);
/// Bits of one of these registers.
int fragment_bits(const Matrix& matrix, Fragment fragment);

}  // namespace ptxmc::isa

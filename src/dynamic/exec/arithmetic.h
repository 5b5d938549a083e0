// SPDX-License-Identifier: Apache-2.0
// Instructions on registers alone (9.7.1 to 9.7.8): integers and bits exactly, as ptx/integer/arithmetic.h and bits.h define
// them; floating numbers of 32 and 64 bits where IEEE 754 leaves no choice.
#pragma once

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// Null: its result is not evaluated.
Compute compute_of(const program::Instruction& instruction);
/// The same of floating numbers.
Compute floating_compute_of(const program::Instruction& instruction);

/// A product, or a sum, of 32 or 64 bits that names no rounding: the two may become one fma (9.7.3.5).
bool is_product(const program::Instruction& instruction);
bool takes_product(const program::Instruction& instruction);
/// Is the product of these two another number than the exact one?
bool is_rounded_product(const isa::Modifiers& m, std::uint64_t a, std::uint64_t b);

/// Does it read or write floating numbers?
bool is_floating(const isa::Modifiers& m);

/// The truth of a comparison, with the predicate that it is combined with.
std::uint64_t combined(isa::BoolOp combine, std::uint64_t truth, std::uint64_t predicate);

/// The bits of a result, before it is extended to its register.
std::uint16_t result_bits(const program::Instruction& instruction);

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Matrix descriptors that a program puts together in registers (9.7.14.5.1.2.7, 9.7.16.4.1): which bits are an
// address in shared memory, which are constants.
#pragma once

#include <cstdint>
#include <optional>

#include "axiomatic/event/expr.h"
#include "axiomatic/lower/memory/layout.h"

namespace ptxmc::lower {

class VariablePlaces;

/// Bits 0 to 13 of a descriptor are bits 4 to 17 of the address of `start`.
struct DescriptorBits {
  Location start;
  std::int64_t rest = 0;  // bits 14 to 63; zero below
};

/// A descriptor whose start address is that of a place. Nothing if e is another value in some layout.
std::optional<DescriptorBits> descriptor_bits(const event::ExprPool& pool, const VariablePlaces& places,
                                              event::Expr e);

}  // namespace ptxmc::lower

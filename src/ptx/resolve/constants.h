// SPDX-License-Identifier: Apache-2.0
// Types and floating-point constants as PTX text has them.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/isa/table.h"
#include "ptx/text/errors.h"
#include "ptx/text/syntax.h"

namespace ptxmc::resolve {

/// The type of a declaration; reports what is not supported.
std::optional<isa::Type> take_type(ptx::Errors& errors, const ptx::Type& type, bool predicate_allowed);
/// The pattern of a floating-point constant (ptx::Operand: its bits, single or not) in a place of `width` bits and of
/// that type, where one is known; reports a place of another kind.
std::optional<std::int64_t> floating_bits(ptx::Errors& errors, std::int64_t bits, bool single,
                                          std::uint16_t width, const std::optional<isa::Type>& type,
                                          Position position);

}  // namespace ptxmc::resolve

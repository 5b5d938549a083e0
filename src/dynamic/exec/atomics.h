// SPDX-License-Identifier: Apache-2.0
// What atomics compute (9.7.12.5, 9.7.12.6).
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/isa/isa.h"

namespace ptxmc::exec {

/// The value that an atomic writes; nothing: it is not evaluated.
std::optional<std::uint64_t> combined(const isa::Modifiers& m, std::uint64_t old, std::uint64_t value,
                                      std::uint64_t comparand);

}  // namespace ptxmc::exec

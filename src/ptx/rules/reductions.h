// SPDX-License-Identifier: Apache-2.0
// Which elements of a tensor a copy reduces.
#pragma once

#include <optional>

#include "ptx/isa/isa.h"
#include "ptx/isa/products.h"

namespace ptxmc::rules {

/// Table of 9.7.8.24.10: the type of the atomics that reduce elements of a tensor, which have their type from the map. Nothing: there
/// is no such reduction.
std::optional<isa::Type> reduced_type(isa::AtomicOp op, isa::TensorElement element);

}  // namespace ptxmc::rules

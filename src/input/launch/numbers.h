// SPDX-License-Identifier: Apache-2.0
// Types of numbers as launches name them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ptx/isa/type.h"

namespace ptxmc::launch {

/// As {"u32": 3} names them.
constexpr std::string_view kNumberTypes = "u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";

std::optional<isa::Type> number_type(const std::string& name);
/// The one that stands for a type of PTX, "u32" for "b32"; empty: none does.
std::string number_of(std::string_view type);

}  // namespace ptxmc::launch

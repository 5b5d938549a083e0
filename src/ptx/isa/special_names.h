// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxmc::isa {

/// Predefined registers (chapter 10) without their %, those that are numbered apart: for suggestions.
std::vector<std::string> special_register_names();

}  // namespace ptxmc::isa

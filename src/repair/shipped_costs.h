// SPDX-License-Identifier: Apache-2.0
// costs.txt, as it was when the program was built (costs.cmake).
#pragma once

#include <string_view>

namespace ptxmc::repair {

extern const std::string_view kShippedCosts;

}  // namespace ptxmc::repair

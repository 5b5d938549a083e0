// SPDX-License-Identifier: Apache-2.0
// CUDA in place of PTX: what the author of a test means by it.
#pragma once

#include <string>
#include <string_view>

namespace ptxmc::ptx {

/// What is said of `name(`, where an instruction should stand: what to write for a function of CUDA, by the programming
/// guide's description of it; "" for a name that is none.
std::string said_of_call(std::string_view name);

}  // namespace ptxmc::ptx

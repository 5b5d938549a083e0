// SPDX-License-Identifier: Apache-2.0
// All scopes there are, for what looks at each of them.
#pragma once

#include <array>

#include "ptx/isa/isa.h"

namespace ptxmc::isa {

/// The narrowest first; a word of each is name_of(scope).
inline constexpr std::array kEveryScope = {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys};
static_assert(kEveryScope.size() == static_cast<std::size_t>(Scope::sys), "each scope but none");

}  // namespace ptxmc::isa

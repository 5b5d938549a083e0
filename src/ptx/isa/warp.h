// SPDX-License-Identifier: Apache-2.0
// The size of a warp.
#pragma once

namespace ptxmc::isa {

/// Lanes of a warp, of every target: WARP_SZ (4.5.1, 5.1).
inline constexpr unsigned kWarp = 32;

}  // namespace ptxmc::isa

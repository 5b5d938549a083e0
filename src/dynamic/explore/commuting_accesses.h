// SPDX-License-Identifier: Apache-2.0
// Turns at a location one after the other whose order makes no difference: each adds the same number, and
// what each reads is but compared with values that none of them reads. So do all the CTAs that are not the
// last one, of a count of CTAs. Or each adds some number, and looks at bits that stay as they are until all
// of them have: at a barrier of a grid whose phase is the sign of a counter.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "dynamic/exec/run.h"

namespace ptxmc::explore {

/// By turn, the number of the first one of its block.
std::vector<std::size_t> blocks_of(const std::vector<exec::ContendedAccess>& turns);

/// Turns in blocks of several.
std::set<std::size_t> in_blocks(const std::vector<std::size_t>& blocks);

}  // namespace ptxmc::explore

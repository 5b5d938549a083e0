// SPDX-License-Identifier: Apache-2.0
// Fences between changes of a tensor map, which are generic, and copies by it, which read it through the tensormap proxy (9.7.12.4).
#pragma once

#include <vector>

#include "repair/change.h"
#include "repair/points.h"

namespace ptxmc::repair {

/// At a point of a code: a release, if some thread changes a map; an acquire of each map that the code copies by. `scopes` ascend.
void add_map_fences(const litmus::Test& test, const Layout& layout, const std::vector<isa::Scope>& scopes,
                    const Point& point, std::vector<Site>& sites);

}  // namespace ptxmc::repair

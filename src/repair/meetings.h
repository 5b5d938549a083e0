// SPDX-License-Identifier: Apache-2.0
// Changes by which threads come to wait for each other: barriers that two of them meet at, waits for phases of mbarrier objects, and
// instructions that stand behind another one instead.
#pragma once

#include <vector>

#include "repair/change.h"

namespace ptxmc::repair {

void add_meetings(const litmus::Test& test, const Layout& layout, const Reach& reach,
                  std::vector<Site>& sites);

}  // namespace ptxmc::repair

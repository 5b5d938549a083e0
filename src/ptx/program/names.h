// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ptx/program/condition.h"

namespace ptxmc::program {

/// Adds all names in a condition, in its order; null: there are none.
void add_names(const ConditionPtr& condition, std::vector<StateName>& out);

}  // namespace ptxmc::program

// SPDX-License-Identifier: Apache-2.0
// The explicit engine: enumerates paths, reads-from and order choices with pruning.
#pragma once

#include "axiomatic/engine/engine.h"

namespace ptxmc::engine::explicit_ {

Result solve(const Query& query);

}  // namespace ptxmc::engine::explicit_

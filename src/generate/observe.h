// SPDX-License-Identifier: Apache-2.0
// How a condition sees in which order the writes of a location were.
#pragma once

#include <vector>

#include "generate/sketch.h"
#include "support/source.h"

namespace ptxmc::generate {

/// The last write of a location is its final value; one in between is seen by a thread that does nothing else. In tensor memory, whose
/// lanes may hold different values at last, a thread that all who write there tell so, at an mbarrier object, loads the last one.
/// `writes`: of each location. Throws InputError where nothing shows an order.
void observe(const std::vector<int>& writes, const SourcePtr& source, Sketch& sketch);

}  // namespace ptxmc::generate

// SPDX-License-Identifier: Apache-2.0
// Where the threads of a cycle's test run.
#pragma once

#include <cstddef>
#include <vector>

#include "generate/cycle.h"
#include "generate/sketch.h"
#include "support/source.h"

namespace ptxmc::generate {

/// Two threads that are in one CTA, or in one cluster.
struct Meeting {
  std::size_t a = 0, b = 0;
  bool cluster = false;
  bool all = false;  ///< of the cluster are there
};

/// Each thread in a CTA of its own, but for those that meet, at a barrier or at memory that is a CTA's; or as `defaults` says. Throws InputError where that keeps threads apart
/// that meet.
void place(const std::vector<Meeting>& meetings, const Defaults& defaults, const SourcePtr& source,
           Sketch& sketch);

}  // namespace ptxmc::generate

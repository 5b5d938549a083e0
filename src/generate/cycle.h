// SPDX-License-Identifier: Apache-2.0
// From a cycle of edges to the test whose condition asks for it, as diy7 makes one: external edges end threads, edges to a
// different location lead on to the next one, and writes of a location are numbered in the order in which the cycle meets them.
#pragma once

#include <optional>
#include <vector>

#include "generate/edge.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// Where a thread runs.
struct Place {
  int gpu = 0;
  int cta = 0;
};

/// What the cycle leaves open.
struct Defaults {
  Order order = {isa::Semantics::relaxed,
                 isa::Scope::gpu};  ///< of accesses; its scope is that of fences, too
  /// by thread; empty: each in a CTA of its own, but for those that meet at a barrier
  std::vector<Place> places;
};

/// With the name that the shape has in the literature, if it has one. Throws InputError for a cycle that is none: directions that
/// do not meet, too few threads, a location that is left and not come back to, an order that an access cannot have.
Sketch sketch_of(const Cycle& cycle, const Defaults& defaults);

}  // namespace ptxmc::generate

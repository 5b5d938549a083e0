// SPDX-License-Identifier: Apache-2.0
// Tests of random cycles, over the vocabulary of edge.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/cycle.h"
#include "generate/orders.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// What is drawn, and from what.
struct Draw {
  std::uint64_t seed = 1;
  std::size_t count = 10;  ///< tests
  std::size_t edges = 4;   ///< of a cycle, at most; 2 at least
  Scopes scopes = {isa::Scope::cta, isa::Scope::gpu};
  Order open = {isa::Semantics::relaxed, isa::Scope::gpu};  ///< of accesses of which nothing is drawn
};

/// Tests of random cycles, no two of which are one up to symmetry; their doc strings are the cycles. A seed draws the same tests
/// everywhere, the first of which do not hang on how many are drawn. Fewer than `count` where long nothing new was drawn.
std::vector<Sketch> random_tests(const Draw& draw);

}  // namespace ptxmc::generate

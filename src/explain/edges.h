// SPDX-License-Identifier: Apache-2.0
// The edges of one execution as a reader wants to see them.
#pragma once

#include "axiomatic/recheck/naive_relations.h"
#include "explain/outcome.h"

namespace ptxmc::explain {

/// What the naive evaluator reads, for one state's witness.
check::NaiveInput naive_input(const Outcome& outcome, const engine::State& state);

/// Without the edges that others imply: (a, b) goes when some c has (a, c) and (c, b). For transitive,
/// acyclic relations.
check::PairSet reduced(const check::PairSet& pairs);

struct Edges {
  check::PairSet po;  ///< reduced
  check::PairSet rf;
  check::PairSet co;  ///< on one cell, reduced
  check::PairSet fr;  ///< from a read to the next writes in co after its source
};
Edges edges_of(const Outcome& outcome, const engine::State& state);

}  // namespace ptxmc::explain

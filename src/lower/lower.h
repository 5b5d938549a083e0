// SPDX-License-Identifier: Apache-2.0
// Lowering: Test -> ProgramGraph.
#pragma once

#include "event/program_graph.h"
#include "litmus/test.h"

namespace ptxmc::lower {

struct Options {
  int unroll = 2;          ///< how often a loop body is entered at most (spin loops excepted)
  bool unbounded = false;  ///< untyped and 64-bit values are unbounded integers
};

/// Throws InputError for what the test gets wrong (unknown label, size mismatch ...) or what is not supported, with its
/// position.
event::ProgramGraph lower(const litmus::Test& test, const Options& options);

}  // namespace ptxmc::lower

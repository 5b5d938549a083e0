// SPDX-License-Identifier: Apache-2.0
// What a thread is like on a path through its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/families/copy_groups.h"
#include "axiomatic/lower/families/matrix_state.h"
#include "axiomatic/lower/families/tensor_state.h"
#include "axiomatic/lower/memory/typed.h"

namespace ptxmc::lower {

/// How often the path has entered a loop, and the guards of the current turn and of the first.
struct Iteration {
  std::size_t loop = 0;
  std::uint32_t trip = 1;
  event::Expr header_guard, entry_guard;
  // For liveness: as the turn began.
  bool entered = false;
  std::vector<Typed> registers;
  std::size_t first_event = 0;
};

/// A set of paths that are at one place: they share a guard and registers.
struct State {
  event::Expr guard;
  std::vector<Typed> registers;
  std::vector<Iteration> turns;  // enclosing loops, outer first
  CopyHistory copies;
  MatrixState matrices;
  TensorState tensor;
};

}  // namespace ptxmc::lower

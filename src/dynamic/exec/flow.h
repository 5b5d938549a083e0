// SPDX-License-Identifier: Apache-2.0
// Where control goes on to in a code, and where what parts comes together again.
#pragma once

#include <vector>

#include "dynamic/exec/code.h"
#include "ptx/flow/graph.h"

namespace ptxmc::exec {

/// By step, those that may follow it. A trap is passed: it ends the run, which says nothing then (9.7.17.4).
flow::Graph successors(const Code& code);

struct ControlFlow {
  flow::Graph next;                         // by step; after the last one the end
  std::vector<std::size_t> postdominators;  // the immediate ones
};
ControlFlow control_flow(const Code& code);

}  // namespace ptxmc::exec

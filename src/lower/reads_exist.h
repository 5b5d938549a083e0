// SPDX-License-Identifier: Apache-2.0
// Where an expression has a value; internal to this folder.
#pragma once

#include "event/program_graph.h"

namespace ptxmc::lower {

/// Truth value, for wherever `guard` is true: the reads that e rests on exist. What a choice does not take, and
/// what a conjunction or disjunction has no need of, may be missing.
event::Expr reads_exist(event::ProgramGraph& graph, event::Expr e, event::Expr guard);

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Guards: what is statically known about which events exist together.
#pragma once

#include <vector>

#include "axiomatic/event/program_graph.h"
#include "model/relation/bits.h"

namespace ptxmc::engine::smt {

/// Read off the conjuncts of the guards: conservative (a pair may be compatible here and never coexist).
struct Guards {
  explicit Guards(const event::ProgramGraph& graph);

  bool all_always = true;          ///< every event exists in every execution
  std::vector<char> always;        ///< per event: guard is constant true
  relation::BitMatrix together;    ///< (a, b): some execution may have both (reflexive for possible events)
  relation::BitMatrix implied_by;  ///< row c holds the events whose existence implies that of c
};

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
// Execution: one candidate execution, as the choices that determine it. Engines return them as witnesses, the
// witness check and the graph printers read them.
#pragma once

#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/event/valuation.h"
#include "model/relation/bits.h"

namespace ptxmc::event {

struct Execution {
  Assignment decisions;
  relation::BitSet exists;    // events whose guard is true
  std::vector<Value> values;  // per slot: value read or written; 0 where it is no access
  // per slot: the event that a read that exists takes it from, else kNoEvent
  std::vector<EventId> reads_from;
  std::vector<EventId> final_writes;  // per cell: the coherence-maximal write seen at the end (kNoEvent: not
                                      // chosen, any maximal write will do)
  // per order declaration of the model: chosen directions (all events)
  std::vector<relation::BitMatrix> orders;
  std::vector<relation::BitMatrix> enumerated;  // per base id with Provider::enumerated, else size 0
  Valuation valuation;                          // of the program's terms
};

}  // namespace ptxmc::event

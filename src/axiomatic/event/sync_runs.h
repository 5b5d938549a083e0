// SPDX-License-Identifier: Apache-2.0
// How the runs of the phase machine end: who passes, who stays forever, and where (liveness).
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/sync_path.h"
#include "model/relation/bits.h"
#include "support/budget.h"

namespace ptxmc::event {

/// Where an mbarrier or cluster barrier stands for whom it keeps waiting forever (liveness).
struct StuckPhase {
  EventId event = kNoEvent;  ///< the `end` event of the wait
  std::int32_t phase = 0;    ///< number of the current phase
  Value pending = 0;         ///< mbarrier: arrivals that the phase lacks
  Value tx = 0;              ///< mbarrier: bytes of transactions that it lacks; negative: too many
};
/// The waits that never end in a run with this value of `phase`.
std::vector<StuckPhase> stuck_phases(const ProgramGraph& graph, const Assignment& assignment,
                                     const relation::BitMatrix& phase, const Budget& budget = {});
/// Per thread: the barrier operation (its arrival, or the wait of barrier.cluster) at which it stays forever in every run;
/// kNoEvent: in every run it comes to its end. Nothing: runs differ, misuse an object, wait for an mbarrier, or take many states.
std::vector<std::optional<EventId>> always_stays(const ProgramGraph& graph, const Assignment& assignment,
                                                 const Budget& budget);
/// Per thread: those it meets at barriers, and it, come to their ends in every run, and no thread misuses an
/// object. False, too, where that takes many states.
std::vector<bool> always_pass(const ProgramGraph& graph, const Assignment& assignment,
                              const Budget& budget = {}, SyncReductions reductions = SyncReductions::all);

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// The phase machine: the possible values of the base relation `phase`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/sync_path.h"
#include "model/relation/bits.h"
#include "support/budget.h"

namespace ptxmc::event {

constexpr std::size_t kMaxPhaseAlternatives = 20000;
constexpr std::size_t kMaxPhaseStates = 200000;  ///< states and their alternatives that the machine keeps

constexpr std::size_t kFewPhaseStates = 500;  ///< where a few alternatives are enough

/// Every value of `phase` under an assignment of (at least) sync_decisions: pairs (arrival or completion
/// signal, wait) where the wait observed the completion of the phase that the arrival was counted in. None:
/// no execution exists on this path (a thread waits forever).
///
/// A run that misuses an object ends there, and has a pair more: (e, e) for the event e that does, or (i, e)
/// where i is the mbarrier.inval that e comes after. What comes before e or after it there is told, too: (e, w) for each wait w of another
/// thread that has not ended by then, and, if e is no wait, (a, e) for what has arrived in its phase, where few operations can.
/// Beyond kMaxPhaseAlternatives values, or `most_states` states, some of them. Throws OutOfTime, as all of
/// these do.
Alternatives phase_alternatives(const ProgramGraph& graph, const Assignment& assignment,
                                SyncReductions reductions = SyncReductions::all, const Budget& budget = {},
                                std::size_t most_states = kMaxPhaseStates);

/// Who meets whom in runs that come to their end, and in runs that end in a misuse, as far as they get.
struct Rendezvous {
  std::vector<relation::BitMatrix> runs, misuses;
  bool complete = true;  ///< false: there are more
};

/// The same with the pairs of exchanges between lanes, which `phase` leaves out as they order nothing (D22).
Rendezvous meetings(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget = {});

/// The misuse in a value of `phase`, and the event that commits it.
std::optional<std::pair<EventId, SyncMisuse>> phase_misuse(const ProgramGraph& graph,
                                                           const Assignment& assignment,
                                                           const relation::BitMatrix& phase,
                                                           const Budget& budget = {});

/// Some run misuses an object, as far as is known: true, too, where there are more runs than can be listed.
bool may_misuse(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget = {});

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// What every walk over the runs of a path shares: who may meet whom, and which steps are to be tried. Internal to the phase
// machine and what asks how its runs end.
#pragma once

#include <cstddef>
#include <vector>

#include "axiomatic/event/sync_path.h"
#include "axiomatic/event/sync_reach.h"
#include "axiomatic/event/sync_state.h"

namespace ptxmc::event {

/// Which processes' next steps must be tried in a state: one that commutes with all others, else all. A step that ends
/// the run would hide what others do wrong.
class SyncSteps {
 public:
  SyncSteps(const SyncSystem& system, SyncReductions reductions)
      : system_(system), reductions_(reductions), reach_(system) {}

  void of(const SyncState& state, std::vector<std::size_t>& out);

 private:
  const SyncSystem& system_;
  const SyncReductions reductions_;
  SyncReach reach_;
  SyncState after_;
};

/// Threads and their signals, by groups that share no object, or all together; each group's threads first,
/// ascending.
std::vector<std::vector<SyncProcess>> sync_components(const SyncPath& path,
                                                      SyncReductions reductions = SyncReductions::all);

}  // namespace ptxmc::event

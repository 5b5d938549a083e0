// SPDX-License-Identifier: Apache-2.0
// Barriers of thread blocks, clusters and warps: who leaves a phase knows what those knew who arrived at it (9.7.12.1 to
// 9.7.12.3).
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "dynamic/order/finding.h"
#include "dynamic/order/release_sequences.h"

namespace ptxmc::trace {

class Barriers {
 public:
  Barriers(Threads& threads, ReleaseSequences& messages, Findings& findings)
      : threads_(threads), release_sequences_(messages), findings_(findings) {}

  void arrive(Site site, Lanes lanes, Barrier barrier, Phase phase);
  void leave(Lanes lanes, Barrier barrier, Phase phase);
  void cluster_arrive(Site site, Lanes lanes, Barrier barrier, Phase phase, isa::Semantics semantics);
  void cluster_leave(Site site, Lanes lanes, Barrier barrier, Phase phase, isa::Semantics semantics);
  void warp(Lanes lanes);
  void exchange(Lanes lanes);
  /// They execute an instruction together: what each did before has happened, which orders nothing.
  void execute(Lanes lanes);
  /// What the others did before has happened.
  void execute_behind(Lanes lanes, std::span<const Lanes> others);

 private:
  void tell(Lanes lanes, OrderKind plane);
  struct Arrived {
    Epoch epoch;
    Site site = 0;
  };
  struct Meeting {
    std::vector<Snapshot> released;
    std::vector<ReleaseClock> fenced;  // by fences before arrivals that are relaxed
    std::vector<Arrived> arrived;
    ClockRef clock;                 // of `released`, once a thread leaves
    ClockRef sent;                  // of tensor memory, before an after-fence (9.7.16.6.3)
    ClockRef executed;              // what arrivals of any strength tell
    std::vector<Snapshot> relaxed;  // of arrivals that do not release
    ClockRef unreleased;            // these, once a thread leaves
    Site relaxed_at = 0;
  };
  using Key = std::tuple<bool, std::uint32_t, std::uint8_t>;  // of a cluster; group, number
  using Phases = std::map<Phase, Meeting>;

  Meeting& meet(Phases& phases, Phase phase);
  void check_reuse(Site site, Lanes lanes, const Meeting& before);
  const ClockRef& clock(Meeting& meeting);

  Threads& threads_;
  ReleaseSequences& release_sequences_;
  Findings& findings_;
  std::map<Key, Phases> barriers_;
};

}  // namespace ptxmc::trace

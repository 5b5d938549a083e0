// SPDX-License-Identifier: Apache-2.0
// clusterlaunchcontrol (PTX 8.6): clusters that have not started, and may not.
#pragma once

#include <set>

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class LaunchCancels : public Unit {
 public:
  using Unit::Unit;

  void cancel_launch(Warp&, const Step&, LaneMask);
  void query_cancel(Warp&, const Step&, LaneMask);
  void hold_clusters(std::uint32_t task);
  bool start_held_cluster();

 private:
  void set_ready(std::uint32_t cluster, bool ready);
  std::optional<std::uint32_t> cancel_held_cluster();
  std::uint64_t coordinate_of(std::uint32_t cta, char axis);

  std::vector<std::uint32_t> held_;   // clusters of the task that have not started
  std::set<std::uint32_t> failed_;    // clusters a thread of which has seen a failure
  std::set<std::uint32_t> unheeded_;  // or a response on which no branch of its code rests
};

}  // namespace ptxmc::exec

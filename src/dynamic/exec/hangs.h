// SPDX-License-Identifier: Apache-2.0
// Who waits for what, where no thread can go on.
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// What a deadlock is reported with.
class Hangs : public Unit {
 public:
  using Unit::Unit;

  bool goes_round_by_data(Warp& warp, unsigned lane);
  void report_waiting(std::uint32_t task);

 private:
  struct AwaitedObject {
    Address at = 0;
    const Mbarrier* object = nullptr;
  };
  AwaitedObject awaited_object(Warp& warp, unsigned lane);
  std::string awaited(Warp& warp, unsigned lane);
  UnmetBarrier unmet_barrier(const Warp& warp, unsigned id) const;
  std::optional<UnmetPhase> unmet_phase(Warp& warp, unsigned lane);
};

}  // namespace ptxmc::exec

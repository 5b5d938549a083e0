// SPDX-License-Identifier: Apache-2.0
// bar and barrier.cluster (9.7.12.1, 9.7.12.3).
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Barriers : public Unit {
 public:
  using Unit::Unit;

  void barrier(Warp&, const Step&, LaneMask);
  void cluster_arrive(Warp&, const Step&, LaneMask);
  void cluster_wait(Warp&, const Step&, LaneMask);
  void try_complete(std::uint32_t cta, unsigned id);
  void report(const Warp& warp, const Convergence::Problems& problem);
  void try_complete(std::uint32_t cluster);

 private:
  void complete(std::uint32_t cta, unsigned id);
  void note_met(std::uint32_t cta, unsigned id, const std::vector<NamedBarrier::Arrived>& all);
  void arrive(Warp& warp, const Step& step, LaneMask mask, std::uint64_t id, std::uint64_t count, bool waits);
  void check_aligned(Warp& warp, const Step& step, LaneMask mask);
  void check_kinds(const std::vector<NamedBarrier::Arrived>& all, unsigned id);
  void check_places(const std::vector<NamedBarrier::Arrived>& all, unsigned id);
  std::vector<trace::Lanes> exited_instead(std::uint32_t cta,
                                           const std::map<std::uint32_t, LaneMask>& arrived) const;
  void tell_left(const Warp& warp, const Step& step, LaneMask mask, trace::Phase phase);
  void leave_cluster(Warp& warp, LaneMask mask, trace::Phase phase);
};

}  // namespace ptxmc::exec

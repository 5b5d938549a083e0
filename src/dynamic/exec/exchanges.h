// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together: shuffles, votes, matrices, instructions that need the whole warp.
#pragma once

#include "dynamic/exec/terms.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Exchanges : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options) { elected_ = options.elected; }
  void exchange(Warp&, const Step&, LaneMask);
  void active_mask(Warp&, const Step&, LaneMask);
  void meet(Warp& warp);
  void give(Warp& warp, LaneMask lanes, const Taint& taint);

 private:
  void exchange_now(Warp& warp, LaneMask group);
  void check_members(Warp& warp, const Step& step, LaneMask group);
  void give_all(Warp& warp, LaneMask lanes, const Taint& taint, Term term);
  static Taint common_taint(Warp& warp, LaneMask group, isa::Role role);
  void shuffle(Warp& warp, LaneMask group);
  void elect(Warp& warp, LaneMask group);
  void vote(Warp& warp, LaneMask group);
  void match(Warp& warp, LaneMask group);
  void reduce_lanes(Warp& warp, LaneMask group);
  std::uint64_t extremum_of_lanes(Warp& warp, LaneMask group);
  void whole_warp(Warp& warp, const Step& step, LaneMask group);

  unsigned elected_ = 0;  // Options::elected
};

}  // namespace ptxmc::exec

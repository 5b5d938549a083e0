// SPDX-License-Identifier: Apache-2.0
// Branches that open contents decide: both sides are taken (both_branch_sides.h); accesses at addresses that they decide.
#pragma once

#include "dynamic/exec/both_branch_sides.h"
#include "dynamic/exec/terms.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class BranchSides : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options) {
    if (options.both_sides) both_sides_ = std::make_unique<BothSides>();
  }
  bool are_taken() const { return both_sides_ != nullptr; }
  /// A strong read on which control rests. False: it is one of the bytes that sides write.
  bool look_at(Address at, std::uint32_t bytes) { return both_sides_->looked.read(at, bytes); }
  bool go_both_ways(Warp& warp, const Step& step, LaneMask taken);
  LaneMask access_everywhere(Warp& warp, const Step& step, LaneMask mask, bool aside);

 private:
  struct OpenBases;
  /// Lanes that take a way, and those of them that jump, or execute the access; `aside`: none of the ways that they go.
  struct Taking {
    LaneMask lanes = 0, taken = 0;
    bool aside = false;
    unsigned depth = 0;
  };
  bool take_both(Warp& warp, const Step& step, const Taking& taking, std::size_t& left);
  TermRow guard_terms(Warp& warp, const Step& step, LaneMask lanes);
  bool take_way_if(Warp& warp, const Step& step, const Sides& ways, const Taking& taking,
                   const TermRow& guards, std::size_t& left);
  bool take_way(Warp& warp, const Step& step, const Sides& ways, const Taking& taking, std::size_t& left);
  bool step_on_way(Warp& warp, const Step& step, const Sides& ways, const Taking& taking,
                   std::array<trace::Site, kLanes>& at, std::size_t& left);
  bool access_on_way(Warp& warp, const Step& step, LaneMask mask, bool aside);
  void find_bases(Warp& warp, const Step& step, unsigned lane, bool aside, OpenBases& out);
  LaneMask store_everywhere(Warp& warp, const Step& step, const OpenBases& bases, bool aside);
  bool read_everywhere(Warp& warp, const Step& step, const OpenBases& bases, const std::vector<Slot>& results,
                       bool aside);
  bool is_inside(Warp& warp, const Step& step, unsigned lane);

  bool leads_outside_ = false;             // the ways that were taken last, by an access, to where nothing is
  std::unique_ptr<BothSides> both_sides_;  // null: none is taken but the one that is gone
};

}  // namespace ptxmc::exec

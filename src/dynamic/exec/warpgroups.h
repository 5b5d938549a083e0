// SPDX-License-Identifier: Apache-2.0
// wgmma (9.7.14) and setmaxnreg (9.7.17.5): what the four warps of a warpgroup execute together.
#pragma once

#include "dynamic/exec/group_steps.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Warpgroups : public Unit {
 public:
  using Unit::Unit;

  void set_registers(Warp&, const Step&, LaneMask);
  void warpgroup(Warp& warp, const Step& step, LaneMask group);
  bool give_products_up();
  void check_warpgroups(std::uint32_t task);
  void check_registers(Warp& warp, const Step& step);

 private:
  /// The warps of a warpgroup, which may be partial, and which of them the warp is.
  struct Warpgroup {
    std::span<const std::uint32_t> warps;
    std::size_t member = 0;
  };
  void wait_for_products(Warp& warp, const Step& step, LaneMask group);
  void end_wait_for_products(Warp& warp, const Step& step, LaneMask group);
  bool are_issued(const Warp& warp, std::uint32_t pending) const;
  void retry_products(const Warp& warp);
  std::uint32_t pending_of(Warp& warp, const Step& step, LaneMask group) {
    return static_cast<std::uint32_t>(
        value_of(warp, step, isa::Role::count, static_cast<unsigned>(std::countr_zero(group))));
  }
  Warpgroup group_of(const Warp& warp) const;
  void execute_together(const Warp& warp, const Step& step, const GroupSteps::Descriptors& matrices = {});
  void register_fault(Warp& warp, const Step& step, const WgmmaRegisters::Problem& problem);
  void warpgroup_product(Warp& warp, const Step& step, LaneMask group);
  void add_matrix(Warp& warp, const Step& step, LaneMask group, isa::Role role,
                  const footprint::MatrixSize& size, bool transposed, std::vector<trace::Range>& out);

  std::map<std::pair<RuleId, const Step*>, const Step*> register_faults_;  // by the product; where
  std::unordered_map<std::uint32_t, GroupSteps> group_steps_;              // by the first warp
};

}  // namespace ptxmc::exec

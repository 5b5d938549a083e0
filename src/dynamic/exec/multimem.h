// SPDX-License-Identifier: Apache-2.0
// multimem.* (9.7.8): accesses of the same place in the memory of several GPUs.
#pragma once

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Multimem : public Unit {
 public:
  using Unit::Unit;

  void multimem(Warp&, const Step&, LaneMask);

 private:
  /// An element of the result of multimem.ld_reduce.
  struct ReducedElement {
    Row value{};
    Taint taint;
  };
  using Reduced = std::vector<ReducedElement>;
  LaneMask reach_locations(Warp& warp, const Step& step, LaneMask mask, const Row& at, std::uint32_t bytes);
  void load_location(Warp& warp, const Step& step, LaneMask mask, const Row& at, bool first, Reduced& result);
  void write_location(Warp& warp, const Step& step, LaneMask mask, const Row& at);
};

}  // namespace ptxmc::exec

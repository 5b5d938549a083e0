// SPDX-License-Identifier: Apache-2.0
// Fences (9.7.12.4), and what orders the grids of a stream (9.7.12.13).
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// They order, and access nothing.
class Fences : public Unit {
 public:
  using Unit::Unit;

  void fence(Warp&, const Step&, LaneMask);
  void proxy_fence(Warp&, const Step&, LaneMask);
  void init_fence(Warp&, const Step&, LaneMask);
  void wait_for_grids(Warp&, const Step&, LaneMask);
  void launch_dependents(Warp&, const Step&, LaneMask);
};

}  // namespace ptxmc::exec

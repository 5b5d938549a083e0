// SPDX-License-Identifier: Apache-2.0
// exit, ret and trap: threads end.
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Exits : public Unit {
 public:
  using Unit::Unit;

  void leave(Warp&, const Step&, LaneMask);
  void trap(Warp&, const Step&, LaneMask);

 private:
  void end(Warp& warp, LaneMask mask);
};

}  // namespace ptxmc::exec

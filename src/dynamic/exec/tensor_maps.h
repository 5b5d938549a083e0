// SPDX-License-Identifier: Apache-2.0
// Tensor maps (5.5.7): which one a copy reads, and instructions that change or copy one.
#pragma once

#include "dynamic/exec/operations.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class TensorMaps : public Unit {
 public:
  using Unit::Unit;

  void replace_map(Warp&, const Step&, LaneMask);
  void prefetch_tensor(Warp&, const Step&, LaneMask);
  void copy_map(Warp&, const Step&, LaneMask);
  std::optional<footprint::MapFields> map_of_copy(Warp& warp, const Step& step, unsigned lane);
  void read_map(Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking, Address object,
                std::span<const trace::Signal> signals);
};

}  // namespace ptxmc::exec

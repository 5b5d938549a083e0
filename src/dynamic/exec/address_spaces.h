// SPDX-License-Identifier: Apache-2.0
// cvta, mapa, isspacep, getctarank: addresses of one state space as those of another (9.7.8).
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class AddressSpaces : public Unit {
 public:
  using Unit::Unit;

  void convert_address(Warp&, const Step&, LaneMask);

 private:
  bool is_of(isa::Space space, const Warp& warp, Address at) const;
  FormRow converted_forms(const Warp& warp, const Step& step, Slot source, LaneMask mask);
};

}  // namespace ptxmc::exec

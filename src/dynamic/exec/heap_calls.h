// SPDX-License-Identifier: Apache-2.0
// malloc and free of device code (heap.h).
#pragma once

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class HeapCalls : public Unit {
 public:
  using Unit::Unit;

  void allocate(Warp&, const Step&, LaneMask);
  void free_blocks(Warp&, const Step&, LaneMask);

 private:
  Heap::Block* block_to_free(Warp& warp, const Step& step, unsigned lane);
};

}  // namespace ptxmc::exec

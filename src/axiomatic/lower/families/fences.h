// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tensor_maps.h"

namespace ptxmc::lower {

/// fence, fence.proxy and fence.mbarrier_init.
class Fences : ThreadContext {
 public:
  explicit Fences(const ThreadContext& context) : ThreadContext(context) {}

  void fence(const Instruction& instruction, State& state);
  void fence_mbarrier_init(const Instruction& instruction, State& state);

 private:
  Registers registers_{*this};
  TensorMaps maps_{*this};
};

}  // namespace ptxmc::lower

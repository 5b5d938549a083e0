// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/mbarrier_places.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// Completion of asynchronous copies by groups, and by an arrival.
class AsyncGroups : ThreadContext {
 public:
  explicit AsyncGroups(const ThreadContext& context) : ThreadContext(context) {}

  void commit_group(const Instruction& instruction, State& state);
  void wait_group(const Instruction& instruction, State& state);
  void copy_arrive(const Instruction& instruction, State& state);

 private:
  Registers registers_{*this};
  MbarrierPlaces mbarriers_{*this};
};

}  // namespace ptxmc::lower

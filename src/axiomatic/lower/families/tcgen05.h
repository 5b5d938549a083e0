// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/completions.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/mbarrier_places.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tcgen05_access.h"

namespace ptxmc::lower {

/// tcgen05.alloc, dealloc, relinquish_alloc_permit, wait, fence and commit.
class Tcgen05 : ThreadContext {
 public:
  explicit Tcgen05(const ThreadContext& context) : ThreadContext(context) {}

  void tensor_allocate(const Instruction& instruction, State& state);
  void tensor_deallocate(const Instruction& instruction, State& state);
  void tensor_relinquish(const Instruction& instruction, State& state);
  void tensor_fence(const Instruction& instruction, State& state);
  void tensor_wait(const Instruction& instruction, State& state);
  void tensor_commit(const Instruction& instruction, State& state);

 private:
  void meet_pair(const Instruction& instruction, State& state);
  bool pair_is_alone(const Instruction& instruction) const;
  std::uint32_t column_count(const State& state, const Instruction& instruction);

  Registers registers_{*this};
  Addresses addresses_{*this};
  Accesses accesses_{*this};
  MbarrierPlaces mbarriers_{*this};
  Completions completions_{*this};
  TensorMemory memory_{*this};
  Progress progress_{*this};
};

}  // namespace ptxmc::lower

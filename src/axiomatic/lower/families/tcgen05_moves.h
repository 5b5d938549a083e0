// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/fragments.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/shared_matrices.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tcgen05_access.h"

namespace ptxmc::lower {

/// tcgen05.ld, st, cp and shift.
class Tcgen05Moves : ThreadContext {
 public:
  explicit Tcgen05Moves(const ThreadContext& context) : ThreadContext(context) {}

  void tensor_load(const Instruction& instruction, State& state);
  void tensor_store(const Instruction& instruction, State& state);
  void tensor_copy(const Instruction& instruction, State& state);
  void tensor_shift(const Instruction& instruction, State& state);

 private:
  Registers registers_{*this};
  Fragments fragments_{*this};
  SharedMatrices shared_{*this};
  TensorMemory memory_{*this};
};

}  // namespace ptxmc::lower

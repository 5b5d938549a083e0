// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "axiomatic/lower/families/completions.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/fragments.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/shared_matrices.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/wgmma_registers.h"
#include "ptx/footprint/matrix.h"

namespace ptxmc::lower {

/// wgmma.mma_async and wgmma.fence.
class Wgmma : ThreadContext {
 public:
  explicit Wgmma(const ThreadContext& context) : ThreadContext(context) {}

  void wgmma(const Instruction& instruction, State& state);
  void wgmma_fence(const Instruction& instruction, State& state);

 private:
  struct WgmmaNumbers {
    std::string text;  // imm-scale-a, imm-scale-b
    bool transpose_a = false, transpose_b = false;
  };
  Expr read_matrix(const Instruction& instruction, const Operand& operand, State& state,
                   const footprint::MatrixSize& size, bool transposed, EventId issue);
  WgmmaNumbers wgmma_numbers(const Instruction& instruction) const;

  Registers registers_{*this};
  Completions completions_{*this};
  Fragments fragments_{*this};
  SharedMatrices shared_{*this};
  WgmmaRegisters uses_{*this};
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "footprint/matrix.h"
#include "lower/families/completions.h"
#include "lower/families/context.h"
#include "lower/families/fragments.h"
#include "lower/families/registers.h"
#include "lower/families/shared_matrices.h"
#include "lower/families/state.h"
#include "lower/families/wgmma_registers.h"

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

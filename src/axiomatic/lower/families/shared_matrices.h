// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"
#include "ptx/footprint/matrix.h"

namespace ptxmc::lower {

/// Matrices in shared memory, named by a descriptor, which wgmma and tcgen05 read.
class SharedMatrices : ThreadContext {
 public:
  explicit SharedMatrices(const ThreadContext& context) : ThreadContext(context) {}

  Expr read_shared_matrix(const Instruction& instruction, const Operand& operand, const State& state,
                          const footprint::MatrixSize& size, bool transposed, EventId issue,
                          std::uint32_t cta, std::vector<EventId>& reads);

 private:
  struct SharedMatrix {
    VariableId variable = 0;
    std::int64_t offset = 0;
    footprint::MatrixLayout layout;
  };
  SharedMatrix shared_matrix(const Instruction& instruction, const State& state, const Operand& operand,
                             const footprint::MatrixSize& size, bool transposed);

  Registers registers_{*this};
  Tiles tiles_{*this};
};

}  // namespace ptxmc::lower

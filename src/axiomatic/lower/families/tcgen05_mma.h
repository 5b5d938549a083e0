// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/fragments.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/shared_matrices.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tcgen05_access.h"
#include "ptx/footprint/tensor_memory.h"

namespace ptxmc::lower {

/// tcgen05.mma, with .sp and .ws.
class Tcgen05Mma : ThreadContext {
 public:
  explicit Tcgen05Mma(const ThreadContext& context) : ThreadContext(context) {}

  void tensor_product(const Instruction& instruction, State& state);

 private:
  /// The instruction with what it reads from registers.
  struct Operation {
    const Instruction& instruction;
    footprint::Product product;
    Expr accumulates;
    std::vector<std::uint32_t> lane_mask;
    std::vector<Expr> addresses;             // in tensor memory: of D, and of others that are there
    std::map<Role, std::size_t> address_of;  // which of them is whose
  };
  /// It, with its addresses resolved in one way.
  struct Execution {
    const Operation& op;
    const TensorBinding& binding;
    EventId issue;
    std::vector<EventId> accesses;
    std::vector<EventId> reads_of_a;  ///< of these, in shared memory
  };
  std::vector<std::uint32_t> lane_mask(const Instruction& instruction, const State& state);
  footprint::Product instruction_descriptor(const Instruction& instruction, const State& state);
  Operation read_operands(const Instruction& instruction, const State& state);
  EventId add_issue(const Operation& op, const TensorBinding& binding);
  Expr multiply(Execution& at, const State& state, const Cluster& ctas);
  void read_multiplicands(Execution& at, const State& state, std::uint32_t cta, std::vector<Expr>& arguments);
  TensorRegion written_region(const Execution& at, const Cluster& ctas, std::size_t c);
  void accumulate(Execution& at, std::uint32_t cta, const TensorRegion& region, Expr result);

  Registers registers_{*this};
  Fragments fragments_{*this};
  SharedMatrices shared_{*this};
  TensorMemory memory_{*this};
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"
#include "ptx/footprint/tensor_memory.h"

namespace ptxmc::lower {

using footprint::TensorAddress;

/// One way to resolve the addresses in tensor memory of an instruction.
struct TensorBinding {
  Expr guard;
  Expr here;                             // what tells it from the other ways
  std::vector<TensorAddress> addresses;  // of the operands, in the order asked for
};
/// A value of a cell of tensor memory.
struct TensorValue {
  event::CellId cell = 0;
  Expr value;
};
using TensorValues = std::vector<TensorValue>;

/// Addresses in tensor memory, accesses of it, and values of its cells.
class TensorMemory : ThreadContext {
 public:
  explicit TensorMemory(const ThreadContext& context) : ThreadContext(context) {}

  Expr tensor_operand(const State& state, const Operand& operand);
  std::vector<TensorBinding> bind_tensor(const Instruction& instruction, const State& state,
                                         const std::vector<Expr>& addresses);
  Cluster tensor_ctas(const Instruction& instruction) const;
  EventId tensor_issue(const Instruction& instruction, event::TensorOp op, Expr guard);
  EventId tensor_access(EventKind kind, const Instruction& instruction, std::uint32_t cta,
                        const TensorRegion& region, EventId issue, Expr guard,
                        const std::function<Expr(event::CellId)>& value, TensorValues* values);
  void join_halves(EventId read, EventId write);
  void check_region(const Instruction& instruction, std::uint32_t cta, const TensorRegion& region,
                    Expr guard);
  TensorAddress move_start(const Instruction& instruction, TensorAddress at, Expr guard);
  Expr place_in(event::CellId cell, TensorAddress origin);
  Expr register_value(const isa::Tensor& tensor, const TensorValues& values, const TensorRegion& region);
  Expr tensor_contents(const TensorValues& values, TensorAddress origin);

 private:
  Tile tensor_tile(std::uint32_t cta, const TensorRegion& region);

  Registers registers_{*this};
  Tiles tiles_{*this};
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// What stands in a vector.
inline const decltype(program::VectorOperand::elements)& elements_of(const Operand& operand) {
  return std::get<program::VectorOperand>(operand.value).elements;
}

/// Fragments of matrices in registers.
class Fragments : ThreadContext {
 public:
  explicit Fragments(const ThreadContext& context) : ThreadContext(context) {}

  void add_fragment(const State& state, const Operand& operand, int bits, std::vector<Expr>& arguments);
  void write_fragment(State& state, const Instruction& instruction, const Operand& operand, int bits,
                      Expr value);
  void check_sparsity(const Instruction& instruction, const State& state);

 private:
  Registers registers_{*this};
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/matrix_state.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "finding/rules.h"

namespace ptxmc::lower {

/// The registers that an operand names.
std::vector<std::string> registers_of(const Operand& operand);

/// The registers that wgmma.mma_async uses while it is under way (matrix_state.h).
class WgmmaRegisters : ThreadContext {
 public:
  explicit WgmmaRegisters(const ThreadContext& context) : ThreadContext(context) {}

  void use_registers(const Instruction& instruction, const State& state, const WgmmaUse& use);
  void touch_registers(const Instruction& instruction, State& state);

 private:
  Expr in_flight(const State& state, const WgmmaUse& use);
  void misuse_register(const Instruction& instruction, finding::RuleId rule, Expr where);

  Registers registers_{*this};
};

}  // namespace ptxmc::lower

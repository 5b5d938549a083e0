// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/unit/exchange.h"

namespace ptxmc::lower {

/// What the lanes of a warp exchange, and activemask.
class Exchanges : ThreadContext {
 public:
  explicit Exchanges(const ThreadContext& context, Progress& progress)
      : ThreadContext(context), progress_(progress) {}

  Exchange new_exchange(ExchangeKind kind, const Instruction& instruction, const State& state) const;
  event::Value kind_of(const Instruction& instruction);
  std::uint32_t member_mask(const Instruction& instruction, const Operand& mask, const State& state);
  void exchange(ExchangeKind kind, const Instruction& instruction, State& state);
  template <ExchangeKind kind>
  void exchange(const Instruction& instruction, State& state) {
    exchange(kind, instruction, state);
  }
  void active_mask(const Instruction& instruction, State& state);

 private:
  void exchange_operands(const Instruction& instruction, const State& state, Exchange& exchange);
  void meet(const Instruction& instruction, State& state, Exchange& exchange);
  void write_exchange(const Instruction& instruction, State& state, const ExchangeResult& result);
  event::ThreadId first_of_warp() const;

  Progress& progress_;
  Registers registers_{*this};
};

}  // namespace ptxmc::lower

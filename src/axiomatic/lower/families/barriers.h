// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/exchanges.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// bar, barrier.cta, barrier.cluster and bar.warp.sync.
class Barriers : ThreadContext {
 public:
  explicit Barriers(const ThreadContext& context, Progress& progress)
      : ThreadContext(context), progress_(progress) {}

  void barrier(const Instruction& instruction, State& state);
  void cluster_barrier(const Instruction& instruction, State& state);
  void warp_meets(const Instruction& instruction, State& state);

 private:
  event::Barrier barrier_operands(const Instruction& instruction, const State& state);
  event::Barrier warp_barrier(const Instruction& instruction, const State& state);
  std::optional<event::Value> threads_per_warp() const;
  std::optional<Expr> barrier_count(const Instruction& instruction, const State& state);
  void barrier_result(const Instruction& instruction, State& state, EventId arrival, EventId wait);

  Progress& progress_;
  Registers registers_{*this};
  Exchanges exchanges_{*this, progress_};
};

}  // namespace ptxmc::lower

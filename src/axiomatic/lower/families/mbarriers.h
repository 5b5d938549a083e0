// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/completions.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/mbarrier_places.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/spin_turn.h"
#include "axiomatic/lower/families/state.h"
#include "ptx/rules/limits.h"

namespace ptxmc::lower {

/// The instructions of mbarrier objects.
class Mbarriers : ThreadContext {
 public:
  explicit Mbarriers(const ThreadContext& context, Progress& progress, SpinTurn& spin)
      : ThreadContext(context), progress_(progress), spin_(spin) {}

  void mbarrier_update(const Instruction& instruction, State& state);
  void mbarrier_arrive(const Instruction& instruction, State& state);
  void pending_count(const Instruction& instruction, State& state);
  void check_layout(const Instruction& instruction, State& state);
  void mbarrier_wait(const Instruction& instruction, State& state);

 private:
  Expr mbarrier_number(const State& state, const Operand& source, event::Value least, const char* what,
                       event::Value most = rules::kLargestMbarrierCount);
  std::vector<MbarrierPlace> objects(const Instruction& instruction, const State& state);
  Expr seen_count(EventId arrival);
  void write_invalid(const Instruction& instruction, const State& state);
  bool is_of_layout(const Instruction& instruction) const;
  void write_report(const Instruction& instruction, State& state, Expr done);
  Expr poll(const Instruction& instruction, State& state, const MbarrierPlace& place);

  Progress& progress_;
  SpinTurn& spin_;
  Registers registers_{*this};
  Accesses accesses_{*this};
  Addresses addresses_{*this};
  Completions completions_{*this};
  MbarrierPlaces mbarriers_{*this};
};

}  // namespace ptxmc::lower

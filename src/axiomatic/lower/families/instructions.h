// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/progress.h"
#include "axiomatic/lower/families/spin_turn.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

class Families;

/// What instructions do but for where they go: the families, and the table that says which opcode is whose.
class Instructions : ThreadContext {
 public:
  /// All three outlive it.
  Instructions(const ThreadContext& context, Progress& progress, SpinTurn& spin);
  ~Instructions();

  void execute(const Instruction& instruction, State& state);

 private:
  /// Refuses what a host thread cannot do.
  void check_host(const Instruction& instruction) const;

  Progress& progress_;
  std::unique_ptr<Families> families_;
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Conditions of `.test` files: `(d0.b1.t0.r1 == 0 && [x] != 2)`. From loose to tight: =>, ||, &&, !.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "input/litmus/raw.h"

namespace ptxmc::litmus {

/// A thread `dD.bB.tT` and the registers that it names.
struct NvidiaThread {
  int device = 0;
  int block = 0;
  int thread = 0;
  std::set<std::string> registers;  // without %; see find_registers()
};

/// Fills in the registers. `threads` go with ParseState::threads.
void find_registers(const ParseState& state, std::vector<NvidiaThread>& threads);

/// The whole of `cursor` as a condition; null: reported.
ConditionPtr parse_nvidia_condition(const ParseState& state, const std::vector<NvidiaThread>& threads,
                                    Cursor& cursor);

}  // namespace ptxmc::litmus

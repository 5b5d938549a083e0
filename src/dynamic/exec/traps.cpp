// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/traps.h"

#include <algorithm>

#include "dynamic/exec/flow.h"

namespace ptxmc::exec {

namespace {

bool is_trap(const Step& step) {
  return step.instruction->opcode == isa::Opcode::trap;
}

/// Whether every way from a step comes to a trap, by step.
std::vector<bool> ending_in_traps(const Code& code, const flow::Graph& next) {
  std::vector<bool> out(next.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = next.size(); at-- > 0;) {
      const Step& step = code.steps[at];
      const bool ends = (is_trap(step) && step.guard == kNoSlot) ||
                        (!next[at].empty() && std::all_of(next[at].begin(), next[at].end(),
                                                          [&](std::size_t to) { return out[to]; }));
      changed = changed || ends != out[at];
      out[at] = ends;
    }
  }
  return out;
}

}  // namespace

void find_traps(Code& code) {
  const bool any = std::any_of(code.steps.begin(), code.steps.end(), is_trap);
  if (!any) return;
  const std::vector<bool> ends = ending_in_traps(code, successors(code));
  for (std::size_t at = 0; at + 1 < code.steps.size(); ++at) {
    Step& step = code.steps[at];
    const bool branches = step.instruction->opcode == isa::Opcode::bra && step.jumps;
    if (step.guard == kNoSlot || !(branches || is_trap(step))) continue;
    const bool taken = is_trap(step) || ends[step.target - code.first], otherwise = ends[at + 1];
    if (taken != otherwise) step.traps = taken ? Step::Trap::if_taken : Step::Trap::if_not;
  }
}

}  // namespace ptxmc::exec

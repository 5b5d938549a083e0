// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/traps.h"

#include <algorithm>

#include "dynamic/exec/flow.h"

namespace ptxmc::exec {

namespace {

bool is_trap(const Step& step) {
  return step.instruction->opcode == isa::Opcode::trap;
}

/// By step, the first trap of those to which every way from it comes; null: not every way does.
std::vector<const Step*> traps_ahead(const Code& code, const flow::Graph& next) {
  std::vector<const Step*> out(next.size(), nullptr);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = next.size(); at-- > 0;) {
      if (out[at] != nullptr) continue;
      const Step& step = code.steps[at];
      if (is_trap(step) && step.guard == kNoSlot) {
        out[at] = &step;
      } else if (!next[at].empty() && std::all_of(next[at].begin(), next[at].end(),
                                                  [&](std::size_t to) { return out[to] != nullptr; })) {
        out[at] = out[next[at].front()];
      }
      changed = changed || out[at] != nullptr;
    }
  }
  return out;
}

}  // namespace

void find_traps(Code& code) {
  const bool any = std::any_of(code.steps.begin(), code.steps.end(), is_trap);
  if (!any) return;
  const std::vector<const Step*> ahead = traps_ahead(code, successors(code));
  for (std::size_t at = 0; at + 1 < code.steps.size(); ++at) {
    Step& step = code.steps[at];
    const bool branches = step.instruction->opcode == isa::Opcode::bra && step.jumps;
    if (step.guard == kNoSlot || !(branches || is_trap(step))) continue;
    const Step* const taken = is_trap(step) ? &step : ahead[step.target - code.first];
    const Step* const otherwise = ahead[at + 1];
    if ((taken != nullptr) == (otherwise != nullptr)) continue;
    step.traps = taken != nullptr ? Step::Trap::if_taken : Step::Trap::if_not;
    step.trap_cause = (taken != nullptr ? taken : otherwise)->modifiers().trap;
  }
}

}  // namespace ptxmc::exec

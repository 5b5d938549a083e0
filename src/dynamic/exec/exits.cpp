// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {
namespace {

struct TrapRow {
  Misuse misuse;
  const char* text;  // null: as the instruction is written
};
/// In the order of isa::TrapCause.
constexpr std::array<TrapRow, 5> kTraps = {{
    {Misuse::none, nullptr},
    {Misuse::returns, "a function that is .noreturn returns"},
    {Misuse::call, "a call through a register that holds none of the functions that it may mean"},
    {Misuse::branch, "an index that has no label"},
    {Misuse::assertion, "an assertion fails"},
}};

}  // namespace

void Exits::leave(Warp& warp, const Step& step, LaneMask mask) {
  const bool guarded = step.guard != kNoSlot;
  machine_.barriers.report(warp, warp.convergence.leave(mask, warp.live() & ~mask, guarded));
  if (guarded) warp.left_by_guard |= mask;
  run_.observer.exit(step.site, lanes_of(warp, mask));
  end(warp, mask);
}

void Exits::trap(Warp& warp, const Step& step, LaneMask mask) {
  const TrapRow& trap = kTraps.at(static_cast<std::size_t>(step.modifiers().trap));
  run_.fault(RuleId::trap, trap.misuse, step, warp, first_of(mask),
             trap.text == nullptr ? step.instruction->text : trap.text);
  machine_.barriers.report(warp, warp.convergence.leave(mask, warp.live() & ~mask, true));
  run_.observer.exit(step.site, lanes_of(warp, mask));
  end(warp, mask);
}

/// Who waited for these lanes waits for them no more.
void Exits::end(Warp& warp, LaneMask mask) {
  machine_.contention.exit_from_barriers(warp, mask);
  ++run_.changes;
  warp.exited |= mask;
  warp.ready &= ~mask;
  warp.step_over();
  for (unsigned id = 0; id < run_.ctas[warp.cta].barriers.size(); ++id)
    machine_.barriers.try_complete(warp.cta, id);
  if (!run_.clusters[run_.ctas[warp.cta].cluster].arrived.empty())
    machine_.barriers.try_complete(run_.ctas[warp.cta].cluster);
  machine_.exchanges.meet(warp);
  machine_.tensor.check_leak(warp);
}

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

void Exits::leave(Warp& warp, const Step& step, LaneMask mask) {
  const bool guarded = step.guard != kNoSlot;
  machine_.barriers.report(warp, warp.convergence.leave(mask, warp.live() & ~mask, guarded));
  if (guarded) warp.left_by_guard |= mask;
  run_.observer.exit(step.site, lanes_of(warp, mask));
  end(warp, mask);
}

void Exits::trap(Warp& warp, const Step& step, LaneMask mask) {
  const std::string& text = step.instruction->text;
  run_.fault(RuleId::trap, step, warp, static_cast<unsigned>(std::countr_zero(mask)),
             text.starts_with("ret") ? "a function that is .noreturn returns" : text);
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

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

void Fences::fence(Warp& warp, const Step& step, LaneMask mask) {
  const trace::Strength strength = strength_of(step.modifiers());
  if (strength.semantics == isa::Semantics::sc) {
    warp.fenced_some |= mask;
    if (machine_.contention.includes_all(strength.scope)) warp.fenced |= mask;
  }
  run_.observer.fence(step.site, lanes_of(warp, mask), strength, step.modifiers().space);
}

/// griddepcontrol.wait (9.7.12.13): the prerequisites ran before.
void Fences::wait_for_grids(Warp& warp, const Step& step, LaneMask mask) {
  const std::vector<std::uint32_t>& over = run_.tasks[warp.task].at_wait;
  if (!over.empty()) run_.observer.grid_wait(step.site, lanes_of(warp, mask), over);
}

void Fences::launch_dependents(Warp& warp, const Step& step, LaneMask mask) {
  run_.observer.launch_dependents(step.site, lanes_of(warp, mask));
}

void Fences::proxy_fence(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  trace::ProxyFence fence{step.site, lanes_of(warp, mask), m.proxy, strength_of(m), m.space,
                          {},        m.reads_only};
  Row maps{};
  if (step.address.base != kNoSlot) {
    constexpr std::uint64_t kMap = 128;
    for_lanes(mask, [&](unsigned lane) {
      maps[lane] = run_.address(warp, step, step.address, lane);
      machine_.copies.in_global(warp, step, lane, {maps[lane], kMap});  // 9.7.12.4
    });
    fence.maps = maps;
  }
  run_.observer.proxy_fence(fence);
}

void Fences::init_fence(Warp& warp, const Step& step, LaneMask mask) {
  run_.observer.mbarrier_init_fence(step.site, lanes_of(warp, mask));
}

}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Loops that poll memory: who waits, who has been let go on, and which writes would have kept it waiting.
#include <algorithm>

#include "integer/arithmetic.h"
#include "kernel/machine.h"
#include "kernel/waits.h"

namespace ptxmc::kernel {

/// Each lane has read a value; the loop is left, or waits on.
void Machine::poll(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect) {
  for_lanes(mask, [&](unsigned lane) {
    LeftLoop loop{{step.site, thread(warp, lane), effect, at[lane]}, warp.codes[lane], &step, {}};
    for (const Slot slot : step.polls->inputs) loop.inputs.push_back(warp.row(slot)[lane]);
    const LaneMask one = LaneMask{1} << lane;
    if (!leaves(*loop.code, step, loop.inputs, warp.row(step.to)[lane])) {
      warp.waiting |= one;
      warp.waits_at[lane] = &step;
      warp.tried[lane] = changes_;
      warp.yields = true;
      return;
    }
    warp.waiting &= ~one;
    if (observer_ == nullptr) return;
    observer_->await_left(loop.await);
    std::vector<LeftLoop>& known = left_loops_[at[lane]];
    const auto same = std::find_if(known.begin(), known.end(), [&](const LeftLoop& other) {
      return other.await.thread == loop.await.thread && other.await.site == loop.await.site;
    });
    if (same == known.end()) {
      known.push_back(std::move(loop));
    } else {
      *same = std::move(loop);
    }
  });
}

/// Places have been written: would the loops that were left for what they held be left for what they hold now?
void Machine::compare_with_awaited(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  if (left_loops_.empty()) return;
  for_lanes(mask, [&](unsigned lane) {
    const auto found = left_loops_.find(at[lane]);
    if (found == left_loops_.end()) return;
    for (const LeftLoop& loop : found->second) {
      const std::uint32_t bytes = loop.read->element_bytes;
      const auto span = memory_->span(at[lane], bytes);
      if (!span) continue;
      const isa::Modifiers& m = loop.read->modifiers();
      std::uint64_t value = Memory::load(span->data, bytes);
      if ((!m.type || m.type->is_signed()) && bytes < 8)
        value = static_cast<std::uint64_t>(integer::as_signed(value, static_cast<integer::Width>(bytes * 8)));
      const std::uint16_t width = loop.code->widths[loop.read->to];
      if (width < 64) value &= (std::uint64_t{1} << width) - 1;
      if (leaves(*loop.code, *loop.read, loop.inputs, value)) {
        observer_->awaited_back(loop.await);
      } else {
        observer_->awaited_gone(loop.await, step.site, thread(warp, lane), {at[lane], bytes});
      }
    }
  });
}

}  // namespace ptxmc::kernel

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/restricted_fences.h"

#include <utility>

namespace ptxmc::trace {
namespace {

/// The lanes of the fence that the clock knows of.
std::uint32_t known_to(const Clock& clock, const Snapshot& fence) {
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = fence.lanes.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = rest & (~rest + 1);
    if (clock.covers(OrderKind::restricted, {Agent::thread, fence.lanes.warp, lane, 0, fence.time}))
      lanes |= lane;
  }
  return lanes;
}

}  // namespace

/// All that accesses of the CTA's shared memory behind the fence come after. What its lanes have done themselves is known of each lane
/// alone, and so of none here.
ClockRef RestrictedFences::known_at(const Clock& clock, std::uint32_t cta) const {
  ClockEdit edit(nullptr);
  Knowledge& known = edit.plane(OrderKind::base);
  for (const OrderKind plane : {OrderKind::base, OrderKind::shared}) {
    if (clock.plane(plane) != nullptr) known.join(*clock.plane(plane));
  }
  const auto earlier = releases_.find(cta);
  if (earlier == releases_.end()) return edit.take();
  earlier->second.any_known([&](const Snapshot& fence) { return known_to(clock, fence); },
                            [&](const Snapshot& fence, std::uint32_t lanes) {
                              const Lanes of{fence.lanes.warp, lanes};
                              if (fence.clock != nullptr) known.join(*fence.clock->plane(OrderKind::base));
                              known.threads[0].raise(of, fence.time);
                              for (std::size_t agent = 0; agent < kGroupAgents; ++agent)
                                known.threads[agent + 1].raise(of, fence.own.done[agent]);
                              return false;
                            });
  return edit.take();
}

void RestrictedFences::release(Lanes lanes) {
  any_ = true;
  const std::uint32_t cta = threads_.place_of_warp(lanes.warp).cta;
  for (Snapshot& fence : threads_.mark(lanes)) {
    if (!cumulate_) {  // D58
      fence.clock = nullptr;
      fence.own = {};
    }
    if (fence.clock != nullptr) fence.clock = known_at(*fence.clock, cta);
    releases_[cta].add(std::move(fence));
  }
}

bool RestrictedFences::precedes(const Epoch& epoch, Thread thread, Address at) const {
  if (!any_) return false;
  const SharedWindows::Window* window = windows_.find(at);
  if (window == nullptr) return false;
  if (threads_.knows(thread, OrderKind::shared, epoch)) return true;
  const auto found = releases_.find(window->cta);
  return found != releases_.end() && found->second.precede(thread, OrderKind::restricted, threads_, epoch);
}

}  // namespace ptxmc::trace

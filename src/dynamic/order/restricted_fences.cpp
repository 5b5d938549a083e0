// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/restricted_fences.h"

#include <bit>
#include <utility>
#include <vector>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kKept = 64;  // without the older ones less is ordered

}  // namespace

/// What such fences of the CTA in front of the thread come after.
void RestrictedFences::add_earlier(Thread thread, std::uint32_t cta, Knowledge& known) const {
  const auto found = releases_.find(cta);
  if (found == releases_.end()) return;
  for (const auto& [warp, fences] : found->second) {
    for (const Snapshot& fence : fences) {
      const std::uint32_t lanes = threads_.known(thread, fence, OrderKind::restricted);
      if (lanes == 0) continue;
      if (const Knowledge* base = fence.clock->plane(OrderKind::base); base != nullptr) known.join(*base);
      known.threads[0].raise({warp, lanes}, fence.time);
      for (std::size_t agent = 0; agent < kGroupAgents; ++agent)
        known.threads[agent + 1].raise({warp, lanes}, fence.own.done[agent]);
    }
  }
}

void RestrictedFences::release(Lanes lanes) {
  any_ = true;
  const std::uint32_t cta = threads_.place_of_warp(lanes.warp).cta;
  std::deque<Snapshot>& fences = releases_[cta][lanes.warp];
  for (Snapshot& fence : threads_.mark(lanes)) {
    ClockEdit edit(nullptr);
    Knowledge& known = edit.plane(OrderKind::base);
    for (const OrderKind plane : {OrderKind::base, OrderKind::shared}) {
      const Knowledge* there = fence.clock == nullptr ? nullptr : fence.clock->plane(plane);
      if (there != nullptr) known.join(*there);
    }
    add_earlier(fence.lanes.thread(static_cast<unsigned>(std::countr_zero(fence.lanes.mask))), cta, known);
    fence.clock = edit.take();
    fences.push_front(std::move(fence));
    if (fences.size() > kKept) fences.pop_back();
  }
}

bool RestrictedFences::order(const Epoch& epoch, Thread thread, Address at) const {
  if (!any_) return false;
  const SharedWindows::Window* window = windows_.find(at);
  if (window == nullptr) return false;
  if (threads_.knows(thread, OrderKind::shared, epoch)) return true;
  const auto found = releases_.find(window->cta);
  if (found == releases_.end()) return false;
  Epoch open = epoch;
  for (const auto& [warp, fences] : found->second) {
    std::uint32_t done = 0;  // a lane's newest knows what the older ones do
    for (const Snapshot& fence : fences) {
      const std::uint32_t lanes = threads_.known(thread, fence, OrderKind::restricted) & ~done;
      fence.close(lanes, open);
      if (open.mask == 0) return true;
      done |= lanes;
    }
  }
  return false;
}

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/sequential.h"

#include <span>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kKeptFences = 64;  // of a warp: without the older ones less is ordered

}  // namespace

ClockRef Sequential::told_by_write(Thread thread) const {
  const Snapshot snapshot = threads_.snapshot(thread);
  const ClockRef known = join(std::span(&snapshot, 1));
  ClockEdit edit(nullptr);
  edit.plane(OrderKind::observed).join(*known->plane(OrderKind::base));
  return edit.take();
}

void Sequential::take_turn(Thread thread, Address at, bool writes) {
  if (!any_) return;
  ClockRef own = told_by_write(thread);
  ClockRef& before = turns_[at];
  if (writes && before != nullptr) threads_.learn(thread, before);
  before = join(before, own);
}

void Sequential::order(Lanes lanes, isa::Scope scope) {
  if (!any_) return;
  std::vector<Snapshot> snapshots;
  threads_.add_snapshots(lanes, snapshots);
  for (const Snapshot& alike : snapshots) order(alike.lanes, alike.clock, scope);
}

void Sequential::order(Lanes lanes, const ClockRef& clock, isa::Scope scope) {
  const Knowledge* seen = clock == nullptr ? nullptr : clock->plane(OrderKind::observed);
  if (seen == nullptr) return;
  ClockEdit edit(clock);
  bool learns = false;
  for (auto warp = static_cast<std::uint32_t>(fences_.size()); warp-- > 0;) {  // the newest first, as a rule
    std::uint32_t done = 0;                                                    // lanes, by their newest
    for (const Fence& fence : fences_[warp]) {
      if (!include_each_other(fence.scope, threads_.place_of_warp(warp), scope,
                              threads_.place_of_warp(lanes.warp)))
        continue;
      Snapshot known = fence.snapshot;
      known.lanes.mask = 0;
      for (std::uint32_t rest = fence.snapshot.lanes.mask & ~done; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = rest & (~rest + 1);
        if (seen->threads[0].covers(warp, lane, fence.snapshot.time)) known.lanes.mask |= lane;
      }
      if (known.lanes.mask == 0) continue;
      done |= known.lanes.mask;
      // A thread that knows of a time of a thread knows what that knew.
      if (edit.plane(OrderKind::base).threads[0].covers(warp, known.lanes.mask, known.time)) continue;
      if (known.clock != nullptr) edit.join(*known.clock);
      edit.add(known);
      learns = true;
    }
  }
  if (learns) threads_.learn(lanes, edit.take());
}

const Sequential::Fence* Sequential::told_of(const Clock& seen, const Epoch& epoch) const {
  const Knowledge* known = seen.plane(OrderKind::observed);
  if (known == nullptr || epoch.agent != Agent::thread || epoch.warp >= fences_.size()) return nullptr;
  for (const Fence& fence : fences_[epoch.warp]) {
    const Snapshot& at = fence.snapshot;
    const bool is_behind = (epoch.mask & ~at.lanes.mask) == 0 && at.time >= epoch.time;
    if (is_behind && known->threads[0].covers(epoch.warp, epoch.mask, at.time)) return &fence;
  }
  return nullptr;
}

const Sequential::Fence* Sequential::behind(Thread thread, const Fence& told) const {
  const Lanes lane = lane_of(thread);
  for (const Fence& fence : fences_[lane.warp]) {
    const Snapshot& at = fence.snapshot;
    const Knowledge* seen = (at.lanes.mask & lane.mask) == 0 || at.clock == nullptr
                                ? nullptr
                                : at.clock->plane(OrderKind::observed);
    const Lanes& first = told.snapshot.lanes;
    if (seen != nullptr && seen->threads[0].covers(first.warp, first.mask, told.snapshot.time)) return &fence;
  }
  return nullptr;
}

void Sequential::add(Site site, Lanes lanes, isa::Scope scope) {
  any_ = true;
  threads_.tick(lanes.warp);  // what is observed of the accesses before it is not after it
  threads_.stamp(lanes.warp);
  std::vector<Snapshot> snapshots;
  threads_.add_snapshots(lanes, snapshots);
  std::deque<Fence>& fences = fences_[lanes.warp];
  for (const Snapshot& snapshot : snapshots) fences.push_front({snapshot, scope, site});
  if (fences.size() > kKeptFences) fences.resize(kKeptFences);
}

}  // namespace ptxmc::trace

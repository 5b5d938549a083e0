// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/proxy_fences.h"

#include <bit>

#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {
namespace {

/// Lanes of the epoch that are before the end of a task that is known to be over are open no more.
void close_ended(const ClockRef& known, Epoch& open) {
  for (std::uint32_t rest = known == nullptr ? 0 : open.mask; rest != 0; rest &= rest - 1) {
    Epoch one = open;
    one.mask = rest & (~rest + 1);
    if (known->covers(OrderKind::boundary, one)) open.mask &= ~one.mask;
  }
}

}  // namespace

void ProxyFences::add(Lanes lanes, Group group) {
  for (Snapshot& snapshot : threads_.mark(lanes)) fences_[group].add(std::move(snapshot));
}

bool ProxyFences::knows(Thread thread, const Group& group, const Epoch& epoch) const {
  const auto found = fences_.find(group);
  return found != fences_.end() && found->second.precede(thread, OrderKind::base, threads_, epoch);
}

void ProxyFences::add_directed(const ProxyFence& fence) {
  const bool releases = fence.strength.semantics == isa::Semantics::release;
  for (Snapshot& snapshot : threads_.mark(fence.lanes)) {
    if (fence.reads_only && !read_fences_cumulate_) {  // D57
      snapshot.clock = nullptr;
      snapshot.own = {};
    }
    for (std::uint32_t rest = snapshot.lanes.mask; rest != 0;) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      Directed directed{snapshot,    fence.proxy, fence.strength.scope,
                        fence.space, kEveryMap,   fence.reads_only};
      directed.before.lanes.mask = 0;
      if (!fence.maps.empty()) directed.map = fence.maps[lane];
      for (std::uint32_t same = rest; same != 0; same &= same - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(same));
        if (fence.maps.empty() || fence.maps[other] == directed.map)
          directed.before.lanes.mask |= std::uint32_t{1} << other;
      }
      rest &= ~directed.before.lanes.mask;
      for_threads(directed.before.lanes, [&](Thread thread) {
        if (!releases) return keep(acquires_[thread], acquire(thread, directed));
        threads_.tensor().send_fence(thread, snapshot.time);
      });
      if (releases) keep(releases_[fence.lanes.warp], std::make_shared<const Directed>(std::move(directed)));
    }
  }
}

/// With the releases before it: known in base causality, or by one signal of any strength after them (D32).
ProxyFences::Acquire ProxyFences::acquire(Thread thread, Directed fence) const {
  fence.before.lanes = lane_of(thread);
  Acquire out{std::move(fence), {}};
  for (const auto& [warp, releases] : releases_) {
    const Placement& place = threads_.place_of_warp(warp);
    for (const DirectedRef& release : releases) {
      if (release->proxy != out.fence.proxy ||
          !include_each_other(release->scope, place, out.fence.scope, threads_.place(thread)))
        continue;
      std::uint32_t lanes = threads_.known(thread, release->before, OrderKind::base);
      for (std::uint32_t rest = release->before.lanes.mask & ~lanes; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = rest & (~rest + 1);
        if (threads_.tensor().heard(thread, {Agent::thread, warp, lane, 0, release->before.time}))
          lanes |= lane;
      }
      if (lanes != 0) out.releases.emplace_back(release, lanes);
    }
  }
  return out;
}

bool ProxyFences::covers(const Directed& fence, const Target& target, Thread thread) const {
  if (fence.proxy != target.proxy) return false;
  if (fence.proxy == isa::Proxy::tensormap) return fence.map == kEveryMap || fence.map == target.place;
  const Placement& at = threads_.place_of_warp(fence.before.lanes.warp);
  if (fence.space == isa::Space::shared_cta) return target.place == shared_of(at.cta);
  if (fence.space == isa::Space::shared_cluster)
    return target.place != kNotShared && at.cluster == threads_.place(thread).cluster;
  return true;
}

bool ProxyFences::knows_pair(Thread thread, const Target& target, const Epoch& epoch) const {
  Epoch open = epoch;
  const bool near = target.proxy == isa::Proxy::tensormap && !anywhere_;  // D2
  for (const auto& [acquirer, acquires] : acquires_) {
    if (near && threads_.place(acquirer).cta != threads_.place(thread).cta) continue;
    for (const Acquire& acquire : acquires) {
      if (!covers(acquire.fence, target, thread) ||
          threads_.known(thread, acquire.fence.before, OrderKind::base) == 0)
        continue;
      if (starts_release_maps_ && target.proxy == isa::Proxy::tensormap)
        close_ended(acquire.fence.before.clock, open);
      if (open.mask == 0) return true;
      for (const auto& [release, lanes] : acquire.releases) {
        if (covers(*release, target, thread) && (target.behind_read || !release->reads_only))
          release->before.close(lanes, open);
        if (open.mask == 0) return true;
      }
    }
  }
  return false;
}

}  // namespace ptxmc::trace

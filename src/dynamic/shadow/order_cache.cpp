// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/order_cache.h"

namespace ptxmc::trace {

// The order is looked up from each lane that the mark may be of, to each lane of the instruction; nothing in
// between is decided here.
OrderCache::Which OrderCache::find(const ShadowAccess& before) const {
  ShadowAccess whole = before;
  whole.mask = threads_.place_of_warp(before.warp).lanes;
  const ShadowAccess lanes{0, lanes_.warp, lanes_.mask, 0, 0};
  const Thread thread = lanes_.thread(static_cast<unsigned>(std::countr_zero(lanes_.mask)));
  if (kind_.proxy == isa::Proxy::tensor)
    return order_.reach(before, kind_, thread) == Pair::ordered ? Which::all : Which::none;
  if (!shared() || order_.rests_on_place()) return exactly(whole, lanes) ? Which::all : Which::some;
  const ClockRef& clock = threads_.clock(thread);
  const Knowledge* known = clock == nullptr ? nullptr : clock->plane(OrderKind::base);
  const Epoch epoch = order_.epoch(whole);
  const bool other = before.warp != lanes_.warp;
  if (known != nullptr && known->covers(epoch)) {
    const bool generic =
        kinds_[before.kind].proxy == isa::Proxy::generic && kind_.proxy == isa::Proxy::generic;
    const bool all =
        generic || (other ? order_.reach(whole, kind_, thread) == Pair::ordered : exactly(whole, lanes));
    return all ? Which::all : Which::some;
  }
  if (!other) return exactly(whole, lanes) ? Which::all : Which::some;
  // None of the lanes of which they know the same is known if not all are.
  const bool uniform = known == nullptr || epoch.agent == Agent::object ||
                       known->threads[static_cast<std::size_t>(epoch.agent)].uniform(epoch.warp);
  return uniform ? Which::none : Which::some;
}

bool OrderCache::exactly(const ShadowAccess& before, const ShadowAccess& now) const {
  const Clock* clock = nullptr;
  bool first = true, all = true;
  for_threads({now.warp, now.mask}, [&](Thread thread) {
    // Lanes that know the same of another warp are one.
    if (!all || (!first && before.warp != now.warp && threads_.clock(thread).get() == clock)) return;
    first = false;
    clock = threads_.clock(thread).get();
    all = order_.reach(before, kind_, thread) == Pair::ordered;
  });
  return all;
}

bool OrderCache::some_exactly(const ShadowAccess& before, const ShadowAccess& now) const {
  bool all = (before.mask & (before.mask - 1)) != 0;
  for_threads({now.warp, now.mask}, [&](Thread thread) {
    bool some = false;
    for (std::uint32_t rest = before.mask; all && !some && rest != 0; rest &= rest - 1) {
      ShadowAccess one = before;
      one.mask = rest & (~rest + 1);
      some = order_.reach(one, kind_, thread) == Pair::ordered;
    }
    all = all && some;
  });
  return all;
}

}  // namespace ptxmc::trace

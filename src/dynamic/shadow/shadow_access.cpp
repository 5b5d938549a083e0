// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/shadow_access.h"

#include <algorithm>
#include <bit>

namespace ptxmc::trace {
namespace {

/// What a pair of one-directional fences between the two must be for: the second one's proxy; aliases in either direction.
ProxyFences::Target target(const Kind& first, const Kind& second) {
  const bool leaves_alias = first.proxy == isa::Proxy::alias && second.proxy == isa::Proxy::generic;
  return {leaves_alias ? isa::Proxy::alias : second.proxy, second.place, first.is_read_by_thread()};
}

/// Within one thread block, for async one cluster, accesses of one proxy need no fence (8.9.5, D31). An alias is another name of
/// its location, and of one name none is needed; a location has one (D50).
bool is_one_proxy(const Kind& first, const Placement& at, const Kind& second, const Placement& here) {
  if (first.proxy != second.proxy) return false;
  const bool near = first.proxy == isa::Proxy::async ? at.cluster == here.cluster : at.cta == here.cta;
  return near || first.proxy == isa::Proxy::generic || first.proxy == isa::Proxy::alias;
}

}  // namespace

KindId Kinds::find(const Kind& kind) {
  if (kind.site >= by_site_.size()) {
    by_site_.resize(kind.site + 1);
    last_.resize(kind.site + 1);
  }
  std::vector<KindId>& ids = by_site_[kind.site];
  if (!ids.empty() && kinds_[last_[kind.site]] == kind) return last_[kind.site];
  for (const KindId id : ids) {
    if (kinds_[id] == kind) return last_[kind.site] = id;
  }
  ids.push_back(static_cast<KindId>(kinds_.size()));
  kinds_.push_back(kind);
  return last_[kind.site] = ids.back();
}

// 8.7: of one thread, or strong with scopes that include each other.
bool Order::morally_strong(const ShadowAccess& mark, const Kind& kind, Thread thread) const {
  const Kind& first = kinds_[mark.kind];
  if (first.proxy != kind.proxy || first.bytes != kind.bytes) return false;
  if (!first.operation && !kind.operation && lane_of(thread) == Lanes{mark.warp, mark.mask}) return true;
  if (!first.strong() || !kind.strong()) return false;
  return include_each_other(first.strength.scope, threads_.place_of_warp(mark.warp), kind.strength.scope,
                            threads_.place(thread));
}

bool Order::sees_across(const ShadowAccess& mark, const Kind& kind, Thread thread) const {
  const Kind& first = kinds_[mark.kind];
  const auto in_turn = [&](isa::Proxy a, isa::Proxy b) { return first.proxy == a && kind.proxy == b; };
  const bool across =
      in_turn(isa::Proxy::async, isa::Proxy::generic) || in_turn(isa::Proxy::generic, isa::Proxy::async);
  const bool read =
      (first.effect == Effect::read && kind.writes()) || (kind.effect == Effect::read && first.writes());
  if (fences_.strong_reads_race() || !across || !read || first.bytes != kind.bytes) return false;
  return first.strong() && kind.strong() &&
         std::min(first.strength.scope, kind.strength.scope) >= isa::Scope::gpu &&
         include_each_other(first.strength.scope, threads_.place_of_warp(mark.warp), kind.strength.scope,
                            threads_.place(thread));
}

/// A fence that counts for an access of this kind, by a thread that is there, is between the epoch and the thread.
bool Order::fenced(const Epoch& epoch, const Kind& kind, const Placement& at, Thread thread) const {
  switch (kind.proxy) {
    case isa::Proxy::alias:
      return threads_.knows(thread, OrderKind::alias, epoch);
    case isa::Proxy::constant:
    case isa::Proxy::texture:
    case isa::Proxy::surface:
      return threads_.knows(thread, OrderKind::boundary, epoch) ||
             fences_.knows(thread, fences_.of_block(kind.proxy, at.cta), epoch);
    case isa::Proxy::async:
      if (kind.place == kNotShared) return threads_.knows(thread, OrderKind::async, epoch);
      return threads_.knows(thread, OrderKind::async_shared, epoch) ||
             fences_.knows(thread, {kind.proxy, false, static_cast<std::uint32_t>(kind.place - 1)}, epoch) ||
             fences_.knows(thread, {kind.proxy, true, at.cluster}, epoch);
    case isa::Proxy::tensormap:  // its fences are one-directional
      return false;
    case isa::Proxy::generic:
    case isa::Proxy::tensor:
      break;
  }
  return true;
}

// 8.6, D1: the first access leaves its proxy by a fence after it, the second enters its own by one before it;
// the completion of an asynchronous operation is a fence for its own accesses (9.7.8.24). Or there is a pair of
// one-directional fences (D32).
bool Order::crosses(const Epoch& epoch, const Kind& first, const Placement& at, const Kind& second,
                    Thread thread) const {
  const Placement& here = threads_.place(thread);
  if (is_one_proxy(first, at, second, here)) return true;
  const bool leaves = first.operation || fenced(epoch, first, at, thread);
  return (leaves && fenced(epoch, second, here, thread)) ||
         fences_.knows_pair(thread, target(first, second), epoch);
}

Pair Order::reach_tensor(const ShadowAccess& mark, const Kind& kind, Thread thread) const {
  const Kind& first = kinds_[mark.kind];
  const TensorKnowledge& known = threads_.tensor();
  if (first.object == kind.object && mark.time == known.now()) return Pair::ordered;  // one instruction
  const TensorKnowledge::Earlier earlier{first_of(mark), epoch(mark)};
  // An alloc waits for columns that are free.
  if (first.tensor.op == TensorOp::dealloc && kind.tensor.op == TensorOp::alloc &&
      threads_.place_of_warp(mark.warp).cta == threads_.place(thread).cta)
    return Pair::ordered;
  const bool piped = threads_.tensor().pairs_of_9_1() && is_pipelined_by_9_1(first.tensor, kind.tensor);
  // Both CTAs of a pair free the memory of both, together (9.7.16.7.1).
  const bool together = first.tensor.op == TensorOp::dealloc && kind.tensor.op == TensorOp::dealloc &&
                        kind.tensor.cta_group == 2;
  if (together && mark.warp != thread / kLanes) return Pair::ordered;
  const TensorKnowledge::Found found = known.find(earlier, piped);
  if (found == TensorKnowledge::Found::ordered)
    return first.tensor.op == TensorOp::dealloc ? Pair::freed : Pair::ordered;
  const bool in_order = earlier.issuer == thread && is_of_tensor_core(first.tensor.op) &&
                        is_of_tensor_core(kind.tensor.op) && first.tensor.cta_group == kind.tensor.cta_group;
  if (in_order) return Pair::issued;
  if (found == TensorKnowledge::Found::remote) return Pair::remote;
  return found == TensorKnowledge::Found::unfenced ? Pair::fence : Pair::unordered;
}

Pair Order::reach(const ShadowAccess& mark, const Kind& kind, Thread thread) const {
  const Epoch epoch = this->epoch(mark);
  const Kind& first = kinds_[mark.kind];
  if (kind.proxy == isa::Proxy::tensor) return reach_tensor(mark, kind, thread);
  const bool in_warp_order = (first.in_warp_order || kind.in_warp_order) && mark.warp == thread / kLanes;
  if (in_warp_order && !first.operation && first.proxy == kind.proxy) return Pair::ordered;
  if (threads_.knows(thread, OrderKind::base, epoch)) {
    if (first.proxy == isa::Proxy::generic && kind.proxy == isa::Proxy::generic) return Pair::ordered;
    return crosses(epoch, first, threads_.place_of_warp(mark.warp), kind, thread) ? Pair::ordered
                                                                                  : Pair::proxy;
  }
  if (fences_.knows_pair(thread, target(first, kind), epoch)) return Pair::ordered;  // D32: of any strength
  if (restricted_.precedes(epoch, thread, at_) &&
      is_one_proxy(first, threads_.place_of_warp(mark.warp), kind, threads_.place(thread)))
    return Pair::ordered;  // 9.7.12.4
  if (threads_.knows(thread, OrderKind::ended, epoch)) return Pair::ended;
  if (threads_.knows(thread, OrderKind::remote, epoch)) return Pair::remote;
  return threads_.knows(thread, OrderKind::exchange, epoch) ? Pair::exchanged : Pair::unordered;
}

Pair Order::relate(const ShadowAccess& mark, const Kind& kind, Thread thread) const {
  if (!kinds_[mark.kind].writes() && !kind.writes()) return Pair::harmless;
  const Pair pair = reach(mark, kind, thread);
  if (pair == Pair::ordered || !never_race(mark, kind, thread)) return pair;
  return Pair::strong;
}

}  // namespace ptxmc::trace

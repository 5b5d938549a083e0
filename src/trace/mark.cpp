// SPDX-License-Identifier: Apache-2.0
#include "trace/mark.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace ptxmc::trace {
namespace {

Plane plane_of(const Kind& kind) {
  switch (kind.proxy) {
    case isa::Proxy::alias:
      return Plane::alias;
    case isa::Proxy::constant:
      return Plane::constant;
    case isa::Proxy::texture:
      return Plane::texture;
    case isa::Proxy::surface:
      return Plane::surface;
    case isa::Proxy::async:
      return kind.shared ? Plane::async_shared : Plane::async;
    case isa::Proxy::tensormap:
      return Plane::tensormap;
    case isa::Proxy::generic:
    case isa::Proxy::tensor:
      break;
  }
  return Plane::base;
}

/// 9.7.16.6.2: pairs that execute in the order in which they are issued, if of one .cta_group; two products if their
/// accumulator and shape are one.
bool is_pipelined(const Kind& first, const Kind& second) {
  struct Row {
    TensorOp first, second;
  };
  static constexpr Row kRows[] = {{TensorOp::mma, TensorOp::mma},         {TensorOp::cp, TensorOp::mma},
                                  {TensorOp::cp_4x256b, TensorOp::mma},   {TensorOp::shift, TensorOp::mma},
                                  {TensorOp::shift, TensorOp::cp_4x256b}, {TensorOp::mma, TensorOp::shift}};
  const bool products = first.tensor == TensorOp::mma && second.tensor == TensorOp::mma;
  return first.cta_group == second.cta_group && (!products || first.product == second.product) &&
         std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
           return row.first == first.tensor && row.second == second.tensor;
         });
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

bool Order::morally_strong(const Mark& mark, const Kind& kind, Thread thread) const {
  const Kind& first = kinds_[mark.kind];
  if (!first.strong() || !kind.strong() || first.proxy != kind.proxy || first.bytes != kind.bytes)
    return false;
  return include_each_other(first.strength.scope, threads_.place_of_warp(mark.warp), kind.strength.scope,
                            threads_.place(thread));
}

// 8.6, D1: the first access leaves its proxy by a fence behind it, the second enters its own by one before it; the
// completion of an asynchronous operation is a fence for its own accesses (9.7.8.24). Within one thread block, for async
// one cluster, accesses of one proxy need none (8.9.5, D31).
bool Order::crosses(const Epoch& epoch, const Kind& first, const Placement& at, const Kind& second,
                    Thread thread) const {
  const Placement& here = threads_.place(thread);
  if (first.proxy == second.proxy) {
    const bool near = first.proxy == isa::Proxy::async ? at.cluster == here.cluster : at.cta == here.cta;
    if (near || first.proxy == isa::Proxy::generic) return true;
  }
  const bool leaves =
      first.proxy == isa::Proxy::generic || first.operation || threads_.knows(thread, plane_of(first), epoch);
  const bool enters = second.proxy == isa::Proxy::generic || threads_.knows(thread, plane_of(second), epoch);
  return leaves && enters;
}

Pair Order::reach_tensor(const Mark& mark, const Kind& kind, Thread thread) const {
  const Kind& first = kinds_[mark.kind];
  const TensorKnowledge& known = threads_.tensor();
  if (first.object == kind.object && mark.time == known.now()) return Pair::ordered;  // one instruction
  const TensorKnowledge::Earlier earlier{
      first.tensor, mark.warp * kLanes + static_cast<Thread>(std::countr_zero(mark.mask)), epoch(mark)};
  // An alloc waits for columns that are free.
  if (first.tensor == TensorOp::dealloc && kind.tensor == TensorOp::alloc &&
      threads_.place_of_warp(mark.warp).cta == threads_.place(thread).cta)
    return Pair::ordered;
  const bool piped = is_pipelined(first, kind);
  // Both CTAs of a pair free the memory of both, together (9.7.16.7.1).
  const bool together =
      first.tensor == TensorOp::dealloc && kind.tensor == TensorOp::dealloc && kind.cta_group == 2;
  if (together && mark.warp != thread / kLanes) return Pair::ordered;
  switch (known.find(earlier, piped, is_synchronous(kind.tensor))) {
    case TensorKnowledge::Found::ordered:
      return first.tensor == TensorOp::dealloc ? Pair::freed : Pair::ordered;
    case TensorKnowledge::Found::unfenced:
      return Pair::fence;
    case TensorKnowledge::Found::nothing:
      break;
  }
  return Pair::unordered;
}

Pair Order::reach(const Mark& mark, const Kind& kind, Thread thread) const {
  const Epoch epoch = this->epoch(mark);
  const Kind& first = kinds_[mark.kind];
  if (kind.proxy == isa::Proxy::tensor) return reach_tensor(mark, kind, thread);
  if (threads_.knows(thread, Plane::base, epoch)) {
    if (first.proxy == isa::Proxy::generic && kind.proxy == isa::Proxy::generic) return Pair::ordered;
    return crosses(epoch, first, threads_.place_of_warp(mark.warp), kind, thread) ? Pair::ordered
                                                                                  : Pair::proxy;
  }
  if (threads_.knows(thread, Plane::remote, epoch)) return Pair::remote;
  return threads_.knows(thread, Plane::exchange, epoch) ? Pair::exchanged : Pair::unordered;
}

Pair Order::relate(const Mark& mark, const Kind& kind, Thread thread) const {
  if (!kinds_[mark.kind].writes() && !kind.writes()) return Pair::harmless;
  const Pair pair = reach(mark, kind, thread);
  if (pair == Pair::ordered || !morally_strong(mark, kind, thread)) return pair;
  return Pair::strong;
}

}  // namespace ptxmc::trace

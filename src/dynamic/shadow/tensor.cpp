// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/tensor.h"

#include <algorithm>
#include <bit>

namespace ptxmc::trace {
namespace {

Thread first_of(Lanes lanes) {
  return lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)));
}

Thread whose(Thread thread, TensorOp op) {
  return is_of_warp(op) ? thread / kLanes * kLanes : thread;
}

/// Loads and stores are of one agent each, allocations and deallocations of another.
TensorOp class_of(TensorOp op) {
  return op == TensorOp::dealloc ? TensorOp::alloc : op;
}

}  // namespace

Tensor::Issuer& Tensor::issuer(const TensorOperation& operation) {
  const TensorOp op = class_of(operation.op);
  const Thread thread = whose(first_of(operation.lanes), op);
  const Key key =
      is_of_warp(op) ? Key{thread, op, 0, 0} : Key{thread, op, operation.cta_group, operation.product};
  const auto [found, fresh] = by_key_.try_emplace(key, nullptr);
  if (!fresh) return *found->second;
  issuers_.push_back({objects_.add_agent(), thread, {op, operation.cta_group, operation.product}, {}});
  Issuer& made = issuers_.back();
  found->second = &made;
  if (!is_of_warp(op)) {
    by_thread_[thread].push_back(&made);
    by_agent_[made.agent] = &made;
  }
  return made;
}

const Tensor::Issuer* Tensor::moves(Thread thread, bool stores) const {
  const TensorOp op = stores ? TensorOp::st : TensorOp::ld;
  const auto found = by_key_.find({whose(thread, op), op, 0, 0});
  return found == by_key_.end() ? nullptr : found->second;
}

/// Its operations up to this one, and what they come after.
void Tensor::add(const Issuer& issuer, Time time, ClockEdit& edit) {
  Knowledge& known = edit.plane(OrderKind::tensor_done);
  known.raise_object(issuer.agent, time);
  const ClockRef& before = issuer.behind[time - 1];
  if (before != nullptr && before->plane(OrderKind::tensor_done) != nullptr)
    known.join(*before->plane(OrderKind::tensor_done));
}

/// What an operation of this kind that the thread issues now comes after: what is complete, and what is
/// pipelined with it, issued before it by the thread or, in front of the fences, by others (9.7.16.6.4).
ClockRef Tensor::behind(Thread thread, const TensorKind& kind) const {
  ClockEdit edit(nullptr);
  bool any = false;
  const auto join = [&](const Clock* clock, OrderKind plane) {
    if (clock == nullptr || clock->plane(plane) == nullptr) return;
    edit.plane(OrderKind::tensor_done).join(*clock->plane(plane));
    any = true;
  };
  const auto order = [&](const Issuer& issuer, Time time) {
    if (time == 0) return;
    add(issuer, time, edit);
    any = true;
  };
  const TensorKnowledge& known = threads_.tensor();
  const Clock *after = known.after(thread).get(), *clock = threads_.clock(thread).get();
  join(after, OrderKind::tensor_done);
  join(after, OrderKind::tensor_sync);
  join(clock, OrderKind::tensor_sync);
  if (is_synchronous(kind.op)) join(clock, OrderKind::tensor_done);
  for (const bool stores : {false, true}) {
    if (const Issuer* own = moves(thread, stores)) order(*own, known.waited(thread, stores));
  }
  if (is_of_warp(kind.op)) return any ? edit.take() : nullptr;  // pipelined with nothing
  if (const auto own = by_thread_.find(thread); own != by_thread_.end()) {
    for (const Issuer* issuer : own->second) {
      if (is_pipelined(issuer->kind, kind)) order(*issuer, issuer->issued());
    }
  }
  if (after == nullptr || after->plane(OrderKind::tensor_issued) == nullptr)
    return any ? edit.take() : nullptr;
  const std::vector<Time>& issued = after->plane(OrderKind::tensor_issued)->objects;
  for (ObjectId agent = 0; agent < issued.size(); ++agent) {
    if (issued[agent] == 0) continue;
    const Issuer& issuer = *by_agent_.at(agent);
    if (is_pipelined(issuer.kind, kind)) order(issuer, issued[agent]);
  }
  return any ? edit.take() : nullptr;
}

/// The views of its lanes: those that know the same are one.
std::vector<TensorKnowledge::View> Tensor::views(const TensorOperation& operation,
                                                 const TensorKind& kind) const {
  std::vector<TensorKnowledge::View> out;
  for_threads(operation.lanes, [&](Thread thread) {
    const Clock* clock = threads_.clock(thread).get();
    const bool again =
        !out.empty() && out.back().clock == clock && threads_.tensor().same(out.back().thread, thread);
    if (!again) out.push_back({clock, thread, behind(thread, kind)});
  });
  return out;
}

void Tensor::issue(const TensorOperation& operation) {
  const Thread thread = first_of(operation.lanes);
  Issuer& issuer = this->issuer(operation);
  const TensorKind own{operation.op, operation.cta_group, operation.product};
  std::vector<TensorKnowledge::View> views = this->views(operation, own);
  issuer.behind.push_back(views.front().behind);
  const Time time = issuer.issued();
  objects_.advance(issuer.agent, time);
  if (!is_of_warp(operation.op)) threads_.tensor().note_issue(issuer.agent, threads_.stamp(thread / kLanes));
  threads_.tensor().begin(std::move(views), time);
  Kind kind;
  kind.site = operation.site;
  kind.proxy = isa::Proxy::tensor;
  kind.agent = Agent::object;
  kind.object = issuer.agent;
  kind.operation = !is_synchronous(operation.op);
  kind.tensor = own;
  const ShadowAccess mark{0, thread / kLanes, lane_of(thread).mask, time, 0};
  touch(operation, operation.reads, kind, mark);
  kind.effect = Effect::write;
  touch(operation, operation.writes, kind, mark);
  kind.effect = Effect::read;
  kind.proxy = isa::Proxy::async;
  kind.tensor = {TensorOp::none, operation.cta_group, 0};
  for (const Range& range : operation.shared) {
    kind.place = flight_.place_of(range.begin);
    touch(operation, {&range, 1}, kind, mark);
  }
  if (!is_synchronous(operation.op)) return;
  ClockEdit done(nullptr), sync(nullptr);
  add(issuer, time, done);
  sync.plane(OrderKind::tensor_sync).join(done.plane(OrderKind::tensor_done));
  threads_.learn(operation.lanes, sync.take());
}

void Tensor::touch(const TensorOperation& operation, std::span<const Range> ranges, Kind kind,
                   const ShadowAccess& mark) {
  if (ranges.empty()) return;
  ShadowAccess one = mark;
  one.kind = kinds_.find(kind);
  memory_.begin(operation.lanes, one.kind, kind.proxy == isa::Proxy::tensor);
  memory_.touch(ranges, one);
  if (kind.proxy == isa::Proxy::async) flight_.issue(kind, one, ranges);
}

void Tensor::wait(Lanes lanes, bool stores) {
  const Issuer* own = moves(first_of(lanes), stores);
  if (own == nullptr) return;
  const Time time = own->issued();
  for_threads(lanes, [&](Thread thread) { threads_.tensor().waited(thread, stores, time); });
  ClockEdit edit(nullptr);
  add(*own, time, edit);
  threads_.learn(lanes, edit.take());
}

void Tensor::fence(Lanes lanes, bool after) {
  if (after) return threads_.fence_tensor(lanes);
  for_threads(lanes, [&](Thread thread) {
    if (const auto own = by_thread_.find(thread); own != by_thread_.end()) {
      ClockEdit edit(nullptr);
      for (const Issuer* issuer : own->second)
        edit.plane(OrderKind::tensor_issued).raise_object(issuer->agent, issuer->issued());
      threads_.learn(thread, edit.take());
    }
    threads_.tensor().send(thread, threads_.clock(thread));
  });
}

ClockRef Tensor::completion(Thread thread, std::uint8_t cta_group) const {
  const auto own = by_thread_.find(thread);
  if (own == by_thread_.end()) return nullptr;
  ClockEdit edit(nullptr);
  bool any = false;
  for (const Issuer* issuer : own->second) {
    if ((issuer->kind.cta_group == 2) != (cta_group == 2)) continue;
    add(*issuer, issuer->issued(), edit);
    edit.plane(OrderKind::base).raise_object(issuer->agent, issuer->issued());
    any = true;
  }
  return any ? edit.take() : nullptr;
}

}  // namespace ptxmc::trace

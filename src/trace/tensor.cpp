// SPDX-License-Identifier: Apache-2.0
#include "trace/tensor.h"

#include <bit>

namespace ptxmc::trace {
namespace {

/// Operations that one wait, or one commit, is about.
enum class Class : std::uint8_t { loads, stores, allocations, group_1, group_2 };
constexpr std::uint64_t kClasses = 5;

Class class_of(TensorOp op, std::uint8_t cta_group) {
  if (op == TensorOp::ld) return Class::loads;
  if (op == TensorOp::st) return Class::stores;
  if (is_synchronous(op)) return Class::allocations;
  return cta_group == 2 ? Class::group_2 : Class::group_1;
}

Thread first_of(Lanes lanes) {
  return lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)));
}

}  // namespace

std::uint64_t Tensor::key(Thread thread, TensorOp op, std::uint8_t cta_group) {
  const Thread whose = is_of_warp(op) ? thread / kLanes * kLanes : thread;
  return whose * kClasses + static_cast<std::uint64_t>(class_of(op, cta_group));
}

Tensor::Issuer& Tensor::issuer(Thread thread, TensorOp op, std::uint8_t cta_group) {
  const auto [found, fresh] = issuers_.try_emplace(key(thread, op, cta_group));
  if (fresh) found->second.agent = objects_.add_agent();
  return found->second;
}

/// What an operation that the thread issues now comes behind, and with it whoever comes behind the operation.
ClockRef Tensor::behind(Thread thread) const {
  ClockEdit edit(nullptr);
  bool any = false;
  const auto add = [&](const Clock* clock, Plane plane) {
    if (clock == nullptr || clock->plane(plane) == nullptr) return;
    edit.plane(Plane::tensor_done).join(*clock->plane(plane));
    any = true;
  };
  const TensorKnowledge& known = threads_.tensor();
  add(known.after(thread).get(), Plane::tensor_done);
  add(threads_.clock(thread).get(), Plane::tensor_sync);
  for (const bool stores : {false, true}) {
    const auto own = issuers_.find(key(thread, stores ? TensorOp::st : TensorOp::ld, 0));
    if (own == issuers_.end() || known.waited(thread, stores) == 0) continue;
    edit.plane(Plane::tensor_done).raise_object(own->second.agent, known.waited(thread, stores));
    any = true;
  }
  return any ? edit.take() : nullptr;
}

void Tensor::issue(const TensorOperation& operation) {
  const Thread thread = first_of(operation.lanes);
  Issuer& issuer = this->issuer(thread, operation.op, operation.cta_group);
  const Time time = ++issuer.issued;
  objects_.advance(issuer.agent, time);
  if (!is_of_warp(operation.op)) threads_.tensor().note_issue(issuer.agent, threads_.stamp(thread / kLanes));
  std::vector<TensorKnowledge::View> views;
  for_threads(operation.lanes, [&](Thread t) {
    const bool again = !views.empty() && views.back().clock == threads_.clock(t).get() &&
                       threads_.tensor().same(views.back().thread, t);
    if (!again) views.push_back({threads_.clock(t).get(), t});
  });
  threads_.tensor().begin(std::move(views), time);
  Kind kind;
  kind.site = operation.site;
  kind.proxy = isa::Proxy::tensor;
  kind.agent = Agent::object;
  kind.object = issuer.agent;
  kind.operation = !is_synchronous(operation.op);
  kind.tensor = operation.op;
  kind.cta_group = operation.cta_group;
  kind.product = operation.product;
  const Mark mark{0, thread / kLanes, lane_of(thread).mask, time, 0};
  touch(operation, operation.reads, kind, mark);
  kind.effect = Effect::write;
  touch(operation, operation.writes, kind, mark);
  kind.effect = Effect::read;
  kind.proxy = isa::Proxy::async;
  kind.shared = true;
  kind.tensor = TensorOp::none;
  kind.product = 0;
  touch(operation, operation.shared, kind, mark);
  if (!is_of_warp(operation.op)) issuer.behind = behind(thread);
  if (!is_synchronous(operation.op)) return;
  ClockEdit edit(nullptr);
  edit.plane(Plane::tensor_sync).raise_object(issuer.agent, time);
  threads_.learn(operation.lanes, edit.take());
}

void Tensor::touch(const TensorOperation& operation, std::span<const Range> ranges, Kind kind,
                   const Mark& mark) {
  if (ranges.empty()) return;
  Mark one = mark;
  one.kind = kinds_.find(kind);
  memory_.begin(operation.lanes, one.kind, kind.proxy == isa::Proxy::tensor);
  for (const Range& range : ranges) {
    if (range.bytes == 0) continue;
    memory_.touch(range, one);
    if (kind.shared) flight_.issue(kind, one, range);
  }
}

void Tensor::wait(Lanes lanes, bool stores) {
  const auto own = issuers_.find(key(first_of(lanes), stores ? TensorOp::st : TensorOp::ld, 0));
  if (own == issuers_.end()) return;
  const Time time = own->second.issued;
  for_threads(lanes, [&](Thread thread) { threads_.tensor().waited(thread, stores, time); });
  ClockEdit edit(nullptr);
  edit.plane(Plane::tensor_done).raise_object(own->second.agent, time);
  threads_.learn(lanes, edit.take());
}

void Tensor::fence(Lanes lanes, bool after) {
  if (after) return threads_.fence_tensor(lanes);
  for_threads(lanes, [&](Thread thread) {
    ClockEdit edit(nullptr);
    bool any = false;
    for (const std::uint8_t group : std::initializer_list<std::uint8_t>{1, 2}) {
      const auto own = issuers_.find(key(thread, TensorOp::mma, group));
      if (own == issuers_.end()) continue;
      edit.plane(Plane::tensor_issued).raise_object(own->second.agent, own->second.issued);
      any = true;
    }
    if (any) threads_.learn(thread, edit.take());
    threads_.tensor().send(thread, threads_.clock(thread));
  });
}

ClockRef Tensor::completion(Thread thread, std::uint8_t cta_group) const {
  const auto own = issuers_.find(key(thread, TensorOp::mma, cta_group));
  if (own == issuers_.end()) return nullptr;
  ClockEdit edit(own->second.behind);
  for (const Plane plane : {Plane::base, Plane::tensor_done})
    edit.plane(plane).raise_object(own->second.agent, own->second.issued);
  return edit.take();
}

}  // namespace ptxmc::trace

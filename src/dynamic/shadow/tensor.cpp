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

// of a thread's cp, what they wrote; without the older ones less is ordered
constexpr std::size_t kCopiesKept = 64;

/// Loads and stores are of one agent each, allocations and deallocations of another.
TensorOp class_of(TensorOp op) {
  return op == TensorOp::dealloc ? TensorOp::alloc : op;
}

}  // namespace

Tensor::Issuer& Tensor::issuer(const TensorOperation& operation, const TensorKind& kind) {
  const TensorOp op = class_of(kind.op);
  const Thread thread = whose(first_of(operation.lanes), op);
  const Key key = is_of_warp(op) ? Key{thread, op, 0, 0, false}
                                 : Key{thread, op, kind.cta_group, kind.product, kind.multiplicands};
  const auto [found, fresh] = by_key_.try_emplace(key, nullptr);
  if (!fresh) return *found->second;
  issuers_.push_back({objects_.add_agent(), thread, kind, {}, {}});
  Issuer& made = issuers_.back();
  made.kind.op = op;
  found->second = &made;
  if (!is_of_warp(op)) {
    by_thread_[thread].push_back(&made);
    by_agent_[made.agent] = &made;
  }
  return made;
}

const Tensor::Issuer* Tensor::moves(Thread thread, bool stores) const {
  const TensorOp op = stores ? TensorOp::st : TensorOp::ld;
  const auto found = by_key_.find({whose(thread, op), op, 0, 0, false});
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

/// Adds those of the first so many cp of a thread that wrote bytes which an mma reads.
bool Tensor::add_copies(const Issuer& copies, Time issued, std::span<const Range> read, ClockEdit& edit) {
  bool any = false;
  const Time first = copies.issued() - static_cast<Time>(copies.written.size());
  for (Time time = first + 1; time <= issued; ++time) {
    const std::vector<Range>& written = copies.written[time - first - 1];
    const bool shared = std::any_of(written.begin(), written.end(), [&](const Range& one) {
      return std::any_of(read.begin(), read.end(), [&](const Range& other) {
        return one.begin < other.begin + other.bytes && other.begin < one.begin + one.bytes;
      });
    });
    if (!shared) continue;
    Knowledge& known = edit.plane(OrderKind::tensor_done);
    known.raise_object(Knowledge::Apart{copies.agent, time - 1, time});
    const ClockRef& before = copies.behind[time - 1];
    if (before != nullptr && before->plane(OrderKind::tensor_done) != nullptr)
      known.join(*before->plane(OrderKind::tensor_done));
    any = true;
  }
  return any;
}

/// What is pipelined with it and issued before it, by the thread or, in an order of the two, by another of its warp: by PTX
/// ISA 9.1 by the thread alone (9.7.16.6.4).
void Tensor::add_piped(Thread thread, const Part& part, ClockEdit& edit, bool& any) const {
  const TensorKind& kind = part.kind;
  const auto order = [&](const Issuer& issuer, Time time) {
    if (time == 0) return;
    add(issuer, time, edit);
    any = true;
  };
  const bool of_9_1 = threads_.tensor().pairs_of_9_1();
  if (is_of_warp(kind.op)) {
    for (const bool stores : {false, true}) {
      const Issuer* const own = of_9_1 ? nullptr : moves(thread, stores);
      if (own != nullptr && is_pipelined(own->kind, kind)) order(*own, own->issued());
    }
    return;
  }
  const auto piped = of_9_1 ? is_pipelined_by_9_1 : is_pipelined;
  const Clock* const clock = threads_.clock(thread).get();
  const Thread warp = thread / kLanes * kLanes;
  for (Thread other = of_9_1 ? thread : warp; other < (of_9_1 ? thread + 1 : warp + kLanes); ++other) {
    const auto own = by_thread_.find(other);
    if (own == by_thread_.end()) continue;
    for (const Issuer* issuer : own->second) {
      if (!piped(issuer->kind, kind)) continue;
      const Time issued =
          other == thread ? issuer->issued() : threads_.tensor().issued_before(clock, issuer->agent, other);
      if (kind.multiplicands && issuer->kind.op == TensorOp::cp) {
        any = add_copies(*issuer, issued, part.reads, edit) || any;
      } else {
        order(*issuer, issued);
      }
    }
  }
}

/// PTX ISA 9.1: what is pipelined with it and was issued by others, in front of the fences (9.7.16.6.4.3).
void Tensor::add_fenced(Thread thread, const TensorKind& kind, ClockEdit& edit, bool& any) const {
  const Clock* const after = threads_.tensor().after(thread).get();
  if (!threads_.tensor().pairs_of_9_1() || is_of_warp(kind.op) || after == nullptr ||
      after->plane(OrderKind::tensor_issued) == nullptr)
    return;
  const std::vector<Time>& issued = after->plane(OrderKind::tensor_issued)->objects;
  for (ObjectId agent = 0; agent < issued.size(); ++agent) {
    if (issued[agent] == 0) continue;
    const Issuer& issuer = *by_agent_.at(agent);
    if (!is_pipelined_by_9_1(issuer.kind, kind)) continue;
    add(issuer, issued[agent], edit);
    any = true;
  }
}

/// What an operation of this kind that the thread issues now comes after: what is complete, and what is pipelined with it.
ClockRef Tensor::behind(Thread thread, const Part& part) const {
  const TensorKind& kind = part.kind;
  ClockEdit edit(nullptr);
  bool any = false;
  const auto join = [&](const Clock* clock, OrderKind plane) {
    if (clock == nullptr || clock->plane(plane) == nullptr) return;
    edit.plane(OrderKind::tensor_done).join(*clock->plane(plane));
    any = true;
  };
  const TensorKnowledge& known = threads_.tensor();
  const Clock *after = known.after(thread).get(), *clock = threads_.clock(thread).get();
  join(after, OrderKind::tensor_done);
  join(after, OrderKind::tensor_sync);
  join(clock, OrderKind::tensor_sync);
  if (is_synchronous(kind.op)) join(clock, OrderKind::tensor_done);
  for (const bool stores : {false, true}) {
    const Issuer* const own = moves(thread, stores);
    if (own == nullptr || known.waited(thread, stores) == 0) continue;
    add(*own, known.waited(thread, stores), edit);
    any = true;
  }
  add_piped(thread, part, edit, any);
  add_fenced(thread, kind, edit, any);
  return any ? edit.take() : nullptr;
}

/// The views of its lanes: those that know the same are one.
std::vector<TensorKnowledge::View> Tensor::views(const TensorOperation& operation, const Part& part) const {
  std::vector<TensorKnowledge::View> out;
  for_threads(operation.lanes, [&](Thread thread) {
    const Clock* clock = threads_.clock(thread).get();
    const bool again =
        !out.empty() && out.back().clock == clock && threads_.tensor().same(out.back().thread, thread);
    if (!again) out.push_back({clock, thread, behind(thread, part)});
  });
  return out;
}

/// What an mma multiplies is apart from its accumulator, but by PTX ISA 9.1; and so is A in shared memory, which a
/// commit may track alone.
std::vector<Tensor::Part> Tensor::parts_of(const TensorOperation& operation) const {
  const TensorKind own{operation.op, operation.cta_group, operation.product, false};
  const bool of_9_1 = threads_.tensor().pairs_of_9_1();
  const bool apart = operation.op == TensorOp::mma && !operation.reads.empty() && !of_9_1;
  std::vector<Part> out;
  if (apart) out.push_back({{operation.op, operation.cta_group, 0, true}, operation.reads, {}, {}});
  out.push_back(
      {own, apart ? std::span<const Range>() : operation.reads, operation.writes, operation.shared});
  if (!operation.unpaired.empty())
    out.push_back({of_9_1 ? own : TensorKind{TensorOp::none, operation.cta_group, 1, false},
                   operation.unpaired,
                   {},
                   {}});
  if (!operation.shared_a.empty())
    out.push_back({{TensorOp::none, operation.cta_group, 0, true}, {}, {}, operation.shared_a});
  return out;
}

void Tensor::issue(const TensorOperation& operation) {
  for (const Part& part : parts_of(operation)) issue(operation, part);
}

void Tensor::issue(const TensorOperation& operation, const Part& part) {
  const Thread thread = first_of(operation.lanes);
  Issuer& issuer = this->issuer(operation, part.kind);
  std::vector<TensorKnowledge::View> views = this->views(operation, part);
  issuer.behind.push_back(views.front().behind);
  if (part.kind.op == TensorOp::cp) {
    issuer.written.emplace_back(part.writes.begin(), part.writes.end());
    if (issuer.written.size() > kCopiesKept) issuer.written.pop_front();
  }
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
  kind.tensor = part.kind;
  const ShadowAccess mark{0, thread / kLanes, lane_of(thread).mask, time, 0};
  touch(operation, part.reads, kind, mark);
  kind.effect = Effect::write;
  touch(operation, part.writes, kind, mark);
  kind.effect = Effect::read;
  kind.proxy = isa::Proxy::async;
  kind.tensor = {TensorOp::none, operation.cta_group, 0, false};
  for (const Range& range : part.shared) {
    kind.place = lifetime_.place_of(range.begin);
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
  if (kind.proxy == isa::Proxy::async) lifetime_.issue(kind, one, ranges);
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

ClockRef Tensor::completion(Thread thread, const TensorCommit& commit) const {
  const auto own = by_thread_.find(thread);
  if (own == by_thread_.end()) return nullptr;
  ClockEdit edit(nullptr);
  bool any = false;
  for (const Issuer* issuer : own->second) {
    if ((issuer->kind.cta_group == 2) != (commit.cta_group == 2)) continue;
    if (commit.reads_of_a && (issuer->kind.op != TensorOp::none || !issuer->kind.multiplicands)) continue;
    add(*issuer, issuer->issued(), edit);
    edit.plane(OrderKind::base).raise_object(issuer->agent, issuer->issued());
    any = true;
  }
  return any ? edit.take() : nullptr;
}

}  // namespace ptxmc::trace

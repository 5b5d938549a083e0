// SPDX-License-Identifier: Apache-2.0
// From guarded barrier events with symbolic ids and counts to the operations of one path.
#include "axiomatic/event/barriers.h"

#include <algorithm>
#include <set>

#include "axiomatic/event/guards.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

/// A barrier under construction: its operations' arrival events.
struct Object {
  BarrierObject result;
  std::vector<EventId> members;
  bool constant = true;  // so are the ids of all members
};

/// An arrival at bar or bar.warp.sync; barrier.cluster and mbarrier are the business of sync_path.cpp.
bool arrives_at_bar(const Event& event) {
  return event.kind == EventKind::arrival && event.barrier && !event.barrier->cluster;
}

/// bar and barrier: the threads of the CTA; bar.warp.sync: those of the warp that the membermask names, a
/// constant. The short form's: who names it.
bool meets_unnamed(const ProgramGraph& graph, EventId arrival, ThreadId other) {
  const Event& event = graph.events[arrival];
  if (event.barrier->instance_first || of_pair(*event.barrier)) return false;
  const ThreadInfo& here = graph.threads[event.thread];
  const ThreadInfo& there = graph.threads[other];
  if (here.cta != there.cta || !event.barrier->warp) return here.cta == there.cta;
  const auto mask = static_cast<std::uint32_t>(graph.exprs[event.barrier->id].constant);
  return here.warp && here.warp == there.warp && (there.lanes & mask) != 0;
}

/// Reads ids and counts of a path. Keeps a copy of the pool only when ids are not constants.
class PathReader {
 public:
  PathReader(const ProgramGraph& graph, const Assignment& assignment)
      : graph_(graph), assignment_(assignment) {}

  std::optional<BarrierPath> run() {
    find_ends();
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (!arrives_at_bar(graph_.events[e]) || !exists(e)) continue;
      const auto object = object_of(e);
      if (!object) return std::nullopt;
      add(e, *object);
    }
    for (Object& object : objects_) {
      add_participants(object);
      path_.objects.push_back(object.result);
    }
    return path_;
  }

 private:
  /// A graph that is not about liveness may leave `end` events out: each thread ends.
  void find_ends() {
    path_.ends.assign(graph_.threads.size(), graph_.hangs.empty());
    const bool barriers = std::any_of(graph_.events.begin(), graph_.events.end(),
                                      [](const Event& event) { return event.barrier.has_value(); });
    if (graph_.hangs.empty() || !barriers) return;
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (is_thread_end(graph_, e) && exists(e)) path_.ends[graph_.events[e].thread] = true;
    }
  }

  bool exists(EventId e) const { return exists_on(graph_, graph_.events[e].guard, assignment_); }

  /// How often the CTA of e did the same before: the n-th time of one CTA of a pair meets the n-th of the other.
  std::ptrdiff_t turn_of_pair(EventId e) const {
    const Event& event = graph_.events[e];
    return std::count_if(graph_.events.begin(), graph_.events.begin() + e, [&](const Event& earlier) {
      if (earlier.kind != event.kind || !earlier.barrier || !of_pair(*earlier.barrier)) return false;
      const auto id = static_cast<EventId>(&earlier - graph_.events.data());
      return earlier.barrier->instance == event.barrier->instance &&
             graph_.threads[earlier.thread].cta == graph_.threads[event.thread].cta && exists(id);
    });
  }

  bool has_constant_id(EventId e) const { return graph_.exprs.is_constant(graph_.events[e].barrier->id); }

  bool same_object(EventId a, EventId b) {
    const Barrier& x = *graph_.events[a].barrier;
    const Barrier& y = *graph_.events[b].barrier;
    if (!may_be_one_barrier(graph_, graph_.events[a], graph_.events[b])) return false;
    if (of_pair(x) && turn_of_pair(a) != turn_of_pair(b)) return false;
    if (graph_.exprs.is_constant(x.id) && graph_.exprs.is_constant(y.id)) {
      return graph_.exprs[x.id].constant == graph_.exprs[y.id].constant;
    }
    if (!pool_) pool_ = graph_.exprs;
    const auto same = evaluate_under(*pool_, graph_.decisions, same_barrier_id(*pool_, x, y), assignment_);
    PTXMC_CHECK(same.has_value(), "an assignment leaves open whether two barriers are one");
    return *same != 0;
  }

  /// Index of the object that e acts on, a new one if needed; nothing when e is one with a part of an object
  /// only.
  std::optional<std::size_t> object_of(EventId e) {
    std::optional<std::size_t> found;
    for (std::size_t o = 0; o < objects_.size(); ++o) {
      const auto& members = objects_[o].members;
      if (objects_[o].constant && has_constant_id(e)) {  // then one member speaks for all
        if (!same_object(members.front(), e)) continue;
        if (found) return std::nullopt;
        found = o;
        continue;
      }
      const auto equal =
          std::count_if(members.begin(), members.end(), [&](EventId m) { return same_object(m, e); });
      if (equal == 0) continue;
      if (found || static_cast<std::size_t>(equal) != members.size()) return std::nullopt;
      found = o;
    }
    if (!found) {
      found = objects_.size();
      objects_.emplace_back();
      objects_.back().result.cta = graph_.threads[graph_.events[e].thread].cta;
    }
    objects_[*found].members.push_back(e);
    objects_[*found].constant = objects_[*found].constant && has_constant_id(e);
    return found;
  }

  void add(EventId e, std::size_t object) {
    const Event& event = graph_.events[e];
    BarrierOperation operation;
    operation.arrival = e;
    operation.wait = event.barrier->wait;
    operation.exchange = event.barrier->exchange;
    operation.reduces = event.opcode == isa::Opcode::bar_red;
    operation.blocked = operation.wait != kNoEvent && !graph_.hangs.empty() && !exists(operation.wait);
    operation.thread = event.thread;
    operation.object = static_cast<std::uint32_t>(object);
    if (event.barrier->count) {
      operation.count = evaluate_under(graph_.exprs, graph_.decisions, *event.barrier->count, assignment_);
      PTXMC_CHECK(operation.count.has_value(), "an assignment leaves the count of a barrier open");
    }
    path_.operations.push_back(operation);
  }

  void add_participants(Object& object) {
    std::set<ThreadId> threads;
    for (const EventId e : object.members) threads.insert(graph_.events[e].thread);
    for (ThreadId t = 0; t < graph_.threads.size(); ++t) {
      if (meets_unnamed(graph_, object.members.front(), t)) threads.insert(t);
    }
    add_threads_held_up(object.members.front(), threads);
    object.result.participants.assign(threads.begin(), threads.end());
  }

  /// Threads that would take part if they came that far: they never end, so their turn never comes.
  void add_threads_held_up(EventId member, std::set<ThreadId>& threads) const {
    if (graph_.hangs.empty()) return;
    const Event& known = graph_.events[member];
    for (const Event& event : graph_.events) {
      if (!arrives_at_bar(event) || path_.ends[event.thread]) continue;
      if (may_be_one_barrier(graph_, known, event) && same_constant(known.barrier->id, event.barrier->id)) {
        threads.insert(event.thread);
      }
    }
  }

  bool same_constant(Expr a, Expr b) const {
    return graph_.exprs.is_constant(a) && graph_.exprs.is_constant(b) &&
           graph_.exprs[a].constant == graph_.exprs[b].constant;
  }

  const ProgramGraph& graph_;
  const Assignment& assignment_;
  std::optional<ExprPool> pool_;
  std::vector<Object> objects_;
  BarrierPath path_;
};

/// The leaves on which barrier events depend directly.
std::set<Expr> barrier_leaves(const ProgramGraph& graph, ExprPool& pool) {
  std::set<Expr> found;
  const auto add = [&](Expr e) {
    const auto list = leaves(pool, e);
    found.insert(list.begin(), list.end());
  };
  std::vector<const Event*> arrivals;
  bool barriers = false;
  for (const Event& event : graph.events) {
    barriers = barriers || event.barrier;
    if (!arrives_at_bar(event)) continue;
    add(event.guard);
    if (event.barrier->wait != kNoEvent) add(graph.events[event.barrier->wait].guard);
    if (event.barrier->count) add(*event.barrier->count);
    for (const Event* other : arrivals) {
      if (may_be_one_barrier(graph, *other, event))
        add(same_barrier_id(pool, *other->barrier, *event.barrier));
    }
    arrivals.push_back(&event);
  }
  if (!barriers || graph.hangs.empty()) return found;
  for (EventId e = 0; e < graph.size(); ++e) {
    if (is_thread_end(graph, e)) add(graph.events[e].guard);
  }
  return found;
}

}  // namespace

bool is_thread_end(const ProgramGraph& graph, EventId e) {
  return graph.events[e].kind == EventKind::end &&
         std::none_of(graph.hangs.begin(), graph.hangs.end(),
                      [e](const Hang& hang) { return hang.event == e; });
}

Expr same_barrier_id(ExprPool& pool, const Barrier& a, const Barrier& b) {
  return pool.make(Op::eq, 1, a.id, b.id);
}

bool may_be_one_barrier(const ProgramGraph& graph, const Event& a, const Event& b) {
  if (of_pair(*a.barrier) || of_pair(*b.barrier))
    return of_pair(*a.barrier) == of_pair(*b.barrier) && a.barrier->instance == b.barrier->instance;
  const ThreadInfo& s = graph.threads[a.thread];
  const ThreadInfo& t = graph.threads[b.thread];
  if (s.cta != t.cta || a.barrier->warp != b.barrier->warp) return false;
  if (a.barrier->warp && a.thread != b.thread && (!s.warp || s.warp != t.warp)) return false;
  return a.barrier->instance_first == b.barrier->instance_first && a.barrier->instance == b.barrier->instance;
}

std::optional<BarrierPath> barrier_path(const ProgramGraph& graph, const Assignment& assignment) {
  return PathReader(graph, assignment).run();
}

std::vector<std::uint32_t> barrier_decisions(const ProgramGraph& graph) {
  if (graph.decisions.empty()) return {};
  ExprPool pool = graph.exprs;
  std::set<Expr> wanted = barrier_leaves(graph, pool);
  std::vector<std::uint32_t> found;
  // Guards of decisions mention earlier decisions only, so one pass backwards closes the set.
  for (std::uint32_t d = static_cast<std::uint32_t>(graph.decisions.size()); d-- > 0;) {
    if (!wanted.contains(graph.decisions[d].condition)) continue;
    found.push_back(d);
    const auto more = leaves(pool, graph.decisions[d].guard);
    wanted.insert(more.begin(), more.end());
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace ptxmc::event

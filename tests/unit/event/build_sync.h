// SPDX-License-Identifier: Apache-2.0
// Synchronization operations by hand.
#pragma once

#include <optional>

#include "build.h"

namespace ptxmc::event {

/// Objects are addresses 8, 16, ... in the shared memory of CTA 0.
class BuildSync : public Build {
 public:
  void initialised(Value object, Value count) { graph.mbarriers.push_back({0, object, count}); }

  EventId mbarrier(ThreadId t, MbarrierOp op, Value object, std::optional<Value> count = std::nullopt,
                   std::optional<Value> tx = std::nullopt) {
    return add(operation(EventKind::mbarrier, t, op, object, count, tx));
  }
  EventId arrive_on(ThreadId t, Value object, Value count = 1, std::optional<Value> tx = std::nullopt) {
    return add(operation(EventKind::arrival, t, MbarrierOp::arrive, object, count, tx));
  }
  EventId drop(ThreadId t, Value object) {
    return add(operation(EventKind::arrival, t, MbarrierOp::arrive_drop, object, std::nullopt, std::nullopt));
  }
  EventId wait_parity(ThreadId t, Value object, Value parity) {
    Event e = operation(EventKind::wait, t, MbarrierOp::wait, object, std::nullopt, std::nullopt);
    e.mbarrier->parity = graph.exprs.constant(parity, 64);
    return add(e);
  }
  /// A test_wait that returned false.
  EventId test_failed(ThreadId t, Value object, Value parity) {
    Event e = operation(EventKind::mbarrier, t, MbarrierOp::test_failed, object, std::nullopt, std::nullopt);
    e.mbarrier->parity = graph.exprs.constant(parity, 64);
    return add(e);
  }
  EventId wait_state(ThreadId t, Value object, Value state) {
    Event e = operation(EventKind::wait, t, MbarrierOp::wait, object, std::nullopt, std::nullopt);
    e.mbarrier->token = graph.exprs.constant(state, 64);
    return add(e);
  }
  EventId cluster_arrive(ThreadId t) { return cluster(EventKind::arrival, t); }
  EventId cluster_wait(ThreadId t) { return cluster(EventKind::wait, t); }
  EventId issue(ThreadId t) { return add(make(EventKind::issue, t, isa::Semantics::weak, isa::Scope::none)); }
  /// The completion of an asynchronous operation.
  EventId signal(EventId issue, Value object, std::optional<Value> count, std::optional<Value> tx,
                 bool increments = false) {
    const ThreadId t = graph.events[issue].thread;
    Event e = operation(EventKind::signal, t, MbarrierOp::signal, object, count, tx);
    e.issue = issue;
    e.mbarrier->increments_pending = increments;
    return add(e);
  }

 private:
  Event operation(EventKind kind, ThreadId t, MbarrierOp op, Value object, std::optional<Value> count,
                  std::optional<Value> tx) {
    Event e = make(kind, t, isa::Semantics::release, isa::Scope::cta);
    e.guard = graph.exprs.truth(true);
    e.mbarrier.emplace();
    e.mbarrier->op = op;
    e.mbarrier->object = graph.exprs.constant(object, 64);
    if (count) e.mbarrier->count = graph.exprs.constant(*count, 64);
    if (tx) e.mbarrier->tx = graph.exprs.constant(*tx, 64);
    return e;
  }
  EventId cluster(EventKind kind, ThreadId t) {
    Event e = make(kind, t, isa::Semantics::release, isa::Scope::cluster);
    e.barrier.emplace();
    e.barrier->cluster = true;
    e.barrier->id = graph.exprs.constant(0, 64);
    return add(e);
  }
};

}  // namespace ptxmc::event

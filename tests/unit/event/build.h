// SPDX-License-Identifier: Apache-2.0
// Program graphs by hand, event by event.
#pragma once

#include <optional>
#include <string>

#include "axiomatic/event/base.h"

namespace ptxmc::event {

/// Threads must be added before their events, cells (with their initial writes) before threads.
class Build {
 public:
  ProgramGraph graph;

  CellId cell(Value initial = 0) {
    graph.cells.push_back({"c" + std::to_string(graph.cells.size()), 32, std::nullopt});
    graph.names.push_back({graph.cells.back().name});
    Event e;
    e.kind = EventKind::initial_write;
    e.cell = static_cast<CellId>(graph.cells.size() - 1);
    e.labels.name = e.labels.generic_name = e.cell;
    e.value = graph.exprs.constant(initial, 32);
    graph.events.push_back(e);
    return e.cell;
  }

  /// All on gpu 0, a cluster per CTA, unless said.
  ThreadId thread(std::uint32_t cta = 0, int gpu = 0, std::optional<std::uint32_t> cluster = std::nullopt,
                  bool host = false) {
    ThreadInfo info;
    info.number = static_cast<int>(graph.threads.size());
    info.cta = cta;
    info.gpu = gpu;
    info.cluster = cluster.value_or(cta);
    info.host = host;
    graph.threads.push_back(info);
    return static_cast<ThreadId>(graph.threads.size() - 1);
  }

  EventId add(Event e) {
    graph.events.push_back(std::move(e));
    return static_cast<EventId>(graph.events.size() - 1);
  }

  Event make(EventKind kind, ThreadId thread, isa::Semantics semantics, isa::Scope scope) {
    Event e;
    e.kind = kind;
    e.thread = thread;
    e.labels.semantics = semantics;
    e.labels.scope = scope;
    return e;
  }

  EventId read(ThreadId t, CellId cell, isa::Semantics semantics = isa::Semantics::weak,
               isa::Scope scope = isa::Scope::none) {
    Event e = make(EventKind::read, t, semantics, scope);
    e.cell = cell;
    e.labels.name = e.labels.generic_name = cell;
    e.value = graph.exprs.value_of(static_cast<EventId>(graph.size()), 32);
    return add(e);
  }
  EventId write(ThreadId t, CellId cell, Expr value, isa::Semantics semantics = isa::Semantics::weak,
                isa::Scope scope = isa::Scope::none) {
    Event e = make(EventKind::write, t, semantics, scope);
    e.cell = cell;
    e.labels.name = e.labels.generic_name = cell;
    e.value = value;
    return add(e);
  }
  EventId write(ThreadId t, CellId cell, Value value) {
    return write(t, cell, graph.exprs.constant(value, 32));
  }
  EventId fence(ThreadId t, isa::Semantics semantics, isa::Scope scope) {
    return add(make(EventKind::fence, t, semantics, scope));
  }
  EventId proxy_fence(ThreadId t, isa::Proxy proxy) {
    Event e = make(EventKind::proxy_fence, t, isa::Semantics::weak, isa::Scope::none);
    e.labels.proxy = proxy;
    return add(e);
  }

  using Count = std::optional<Value>;
  /// Returns the arrival; its wait comes right after it.
  EventId sync(ThreadId t, Value id, Count count = std::nullopt, bool instance_first = false) {
    const EventId arrival = arrive(t, id, count, instance_first);
    Event wait = graph.events[arrival];
    wait.kind = EventKind::wait;
    graph.events[arrival].barrier->wait = add(wait);
    return arrival;
  }
  EventId arrive(ThreadId t, Value id, Count count = std::nullopt, bool instance_first = false) {
    Event e = make(EventKind::arrival, t, isa::Semantics::release, isa::Scope::cta);
    e.barrier = Barrier{};
    e.barrier->instance_first = instance_first;
    e.barrier->id = graph.exprs.constant(id, 64);
    if (count) e.barrier->count = graph.exprs.constant(*count, 64);
    return add(e);
  }

  std::vector<relation::BitMatrix> phases(const Assignment& assignment = {}) {
    return values("phase", assignment);
  }
  std::vector<relation::BitMatrix> quorums(const Assignment& assignment = {}) {
    return values("quorum", assignment);
  }
  relation::BitMatrix relation(const std::string& name) {
    return compute_base(graph).relations[*base_signature().find(name)];
  }
  relation::BitSet set(const std::string& name) {
    return compute_base(graph).sets[*base_signature().find(name)];
  }

 private:
  std::vector<relation::BitMatrix> values(const std::string& name, const Assignment& assignment) {
    return alternatives(graph, *base_signature().find(name), assignment).values;
  }
};

}  // namespace ptxmc::event

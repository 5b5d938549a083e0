// SPDX-License-Identifier: Apache-2.0
// Hand-built program graphs and models for the tests of src/axiomatic and src/report.
#pragma once

#include <string>

#include "axiomatic/engine/engine.h"
#include "axiomatic/event/base.h"

namespace ptxmc::testing {

using event::EventId;
using event::kNoEvent;

/// The base relation or set of a name that certainly exists.
inline std::uint32_t base_id(const std::string& name) {
  return *event::base_signature().find(name);
}

struct GraphBuilder {
  event::ProgramGraph graph;

  GraphBuilder() {
    graph.proposition = graph.exprs.truth(true);
    graph.filter = graph.exprs.truth(true);
  }
  event::CellId cell(const std::string& name) {
    graph.cells.push_back({name, 32, {}});
    graph.names.push_back({name, isa::Proxy::generic});
    return static_cast<event::CellId>(graph.cells.size() - 1);
  }
  event::ThreadId thread() {
    const int number = static_cast<int>(graph.threads.size());
    const auto cta = static_cast<std::uint32_t>(number);
    event::ThreadInfo info;
    info.number = number;
    info.cluster = info.cta = cta;
    graph.threads.push_back(info);
    return static_cast<event::ThreadId>(number);
  }
  EventId add(event::EventKind kind, event::ThreadId thread, event::CellId cell, const std::string& text) {
    event::Event e;
    e.kind = kind;
    e.thread = thread;
    e.cell = cell;
    e.guard = graph.exprs.truth(true);
    e.text = text;
    if (cell != event::kNoCell) e.labels.name = e.labels.generic_name = cell;
    graph.events.push_back(e);
    return static_cast<EventId>(graph.events.size() - 1);
  }
  EventId initial(event::CellId cell, event::Value value = 0) {
    const EventId e = add(event::EventKind::initial_write, event::kNoThread, cell, "");
    graph.events[e].value = graph.exprs.constant(value, 32);
    return e;
  }
  EventId write(event::ThreadId thread, event::CellId cell, event::Expr value) {
    const EventId e = add(event::EventKind::write, thread, cell, "st " + graph.cells[cell].name);
    graph.events[e].value = value;
    return e;
  }
  EventId write(event::ThreadId thread, event::CellId cell, event::Value value) {
    return write(thread, cell, graph.exprs.constant(value, 32));
  }
  EventId read(event::ThreadId thread, event::CellId cell) {
    const EventId e = add(event::EventKind::read, thread, cell, "ld " + graph.cells[cell].name);
    graph.events[e].value = graph.exprs.value_of(e, 32);
    return e;
  }
  event::Expr value(EventId e) { return graph.exprs.value_of(e, 32); }
  event::Expr equal(event::Expr a, event::Value b) {
    return graph.exprs.make(event::Op::eq, 1, a, graph.exprs.constant(b, 32));
  }
  void observe(const std::string& name, event::Expr value) {
    graph.observables.push_back({name, value, 32, true, false});
  }
  void observe_final(event::CellId cell) {
    const event::Expr value = graph.exprs.final_value(cell, 32);
    graph.observables.push_back({"[" + graph.cells[cell].name + "]", value, 32, true, true});
  }
};

/// Sequential consistency: co chosen over all writes of a location, one axiom.
inline relation::MemoryModel sc_model(bool partial = false) {
  relation::MemoryModel m;
  m.name = "sc";
  relation::Tree& t = m.tree;
  const auto writes = t.base_set(base_id("W"));
  const auto over =
      t.subtract(t.intersect(t.product(writes, writes), t.base_relation(base_id("ploc"))), t.identity());
  m.orders.push_back({"co", over, partial, {}, nullptr});
  m.coherence =
      t.closure(t.unite(t.order_choice(0), t.intersect(t.base_relation(base_id("ploc")),
                                                       t.product(t.base_set(base_id("IW")), writes))));
  const auto rf = t.base_relation(base_id("rf"));
  const auto com = t.unite(t.unite(rf, m.coherence), t.from_reads(m.coherence));
  const auto all = t.unite(t.base_relation(base_id("po")), com);
  m.definitions.push_back({"com", com, "", {}, nullptr});
  m.definitions.push_back({"writes", writes, "", {}, nullptr});
  m.axioms.push_back({relation::Test::acyclic, false, all, "SC", "", {}, nullptr});
  m.axioms.push_back({relation::Test::irreflexive,
                      false,
                      t.sequence(t.base_relation(base_id("rmw")),
                                 t.sequence(m.coherence, t.inverse(t.from_reads(m.coherence)))),
                      "Atomicity",
                      "",
                      {},
                      nullptr});
  return m;
}

/// Message passing: P0 writes x then y, P1 reads y then x; and an execution where both are seen.
struct MessagePassing : GraphBuilder {
  event::CellId x = cell("x"), y = cell("y");
  EventId ix = initial(x), iy = initial(y);
  event::ThreadId p0 = thread(), p1 = thread();
  EventId wx = write(p0, x, 1), wy = write(p0, y, 1);
  EventId ry = read(p1, y), rx = read(p1, x);
  relation::MemoryModel model = sc_model();
  event::BaseValues base;
  engine::State state;

  MessagePassing() {
    observe("1:r0", value(ry));
    observe("1:r1", value(rx));
    observe_final(x);
    graph.proposition = graph.exprs.conjunction(equal(value(ry), 1), equal(value(rx), 0));
    base = event::compute_base(graph);
    state = witness(1, 1);
  }
  engine::Query query() const {
    return {graph, base, event::base_signature(), model, engine::Ask::states, 0, {}};
  }

  /// The well-formed execution where P1 reads these values; not necessarily consistent.
  engine::State witness(event::Value r0, event::Value r1) const {
    engine::State s;
    event::Execution& e = s.witness;
    e.exists = relation::BitSet(graph.size());
    e.exists.set_all();
    e.values = {0, 0, 1, 1, r0, r1};
    e.reads_from.assign(graph.size(), kNoEvent);
    e.reads_from[ry] = r0 == 1 ? wy : iy;
    e.reads_from[rx] = r1 == 1 ? wx : ix;
    e.final_writes = {wx, wy};
    e.orders.emplace_back(graph.size());
    e.orders[0].set(ix, wx);
    e.orders[0].set(iy, wy);
    e.enumerated.resize(event::base_signature().rows().size());
    s.values = {r0, r1, 1};
    s.satisfied = r0 == 1 && r1 == 0;
    return s;
  }
};

}  // namespace ptxmc::testing

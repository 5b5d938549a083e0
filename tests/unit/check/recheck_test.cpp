// SPDX-License-Identifier: Apache-2.0
// Each kind of failure of the witness check, one at a time, on an execution that is right otherwise.
#include "axiomatic/recheck/recheck.h"

#include <doctest/doctest.h>

#include "../contains.h"
#include "fixture.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// The problems, joined; empty for a good witness.
std::string problems(const engine::Query& query, const engine::State& state) {
  std::string out;
  for (const std::string& line : check::recheck(query, state)) out += line + "\n";
  return out;
}

/// A lock-like program: P0 reads x; iff it read 1, it reads and writes y; a barrier-free program with a
/// decision.
struct Branch : GraphBuilder {
  event::CellId x = cell("x"), y = cell("y");
  EventId ix = initial(x), iy = initial(y);
  event::ThreadId p0 = thread();
  EventId rx = read(p0, x);
  EventId ry = read(p0, y),
          wy = write(p0, y, graph.exprs.make(event::Op::add, 32, value(ry), graph.exprs.constant(5, 32)));
  relation::MemoryModel model = sc_model();
  event::BaseValues base;
  engine::State state;

  explicit Branch(event::Value x_value = 1) {
    graph.events[ix].value = graph.exprs.value_of(ix, 32);
    graph.events[ix].choices = {0, 1};
    const event::Expr taken = equal(value(rx), 1);
    graph.decisions.push_back({p0, taken, graph.exprs.truth(true)});
    graph.decisions.push_back({p0, equal(value(ry), 0), taken});
    graph.events[ry].guard = graph.events[wy].guard = taken;
    graph.events[ry].rmw_partner = wy;
    graph.events[wy].rmw_partner = ry;
    observe("0:r0", value(rx));
    observe_final(y);
    graph.proposition = equal(value(rx), 1);
    base = event::compute_base(graph);
    const bool yes = x_value == 1;
    event::Execution& e = state.witness;
    e.decisions = {yes ? event::Truth::yes : event::Truth::no, yes ? event::Truth::yes : event::Truth::unset};
    e.exists = relation::BitSet(graph.size());
    for (const EventId id : {ix, iy, rx}) e.exists.set(id);
    if (yes) e.exists.set(ry);
    if (yes) e.exists.set(wy);
    e.values = {x_value, 0, x_value, 0, yes ? 5 : 0};
    e.reads_from = {kNoEvent, kNoEvent, ix, yes ? iy : kNoEvent, kNoEvent};
    e.final_writes = {ix, yes ? wy : iy};
    e.orders.emplace_back(graph.size());
    if (yes) e.orders[0].set(iy, wy);
    e.enumerated.resize(event::base_signature().rows().size());
    state.values = {x_value, yes ? 5 : 0};
    state.satisfied = yes;
  }
  engine::Query query() const {
    return {graph, base, event::base_signature(), model, engine::Ask::states, 0, {}};
  }
};

}  // namespace

TEST_CASE("good witnesses pass") {
  const MessagePassing mp;
  for (const auto& [r0, r1] : {std::pair{0, 0}, {0, 1}, {1, 1}})
    CHECK(problems(mp.query(), mp.witness(r0, r1)) == "");
  const Branch taken(1), skipped(0);
  CHECK(problems(taken.query(), taken.state) == "");
  CHECK(problems(skipped.query(), skipped.state) == "");
}

TEST_CASE("an axiom that fails is named") {
  const MessagePassing mp;
  CHECK(problems(mp.query(), mp.witness(1, 0)) == "axiom SC fails\n");
}

TEST_CASE("a negated axiom and an axiom on a set") {
  MessagePassing mp;
  relation::Tree& t = mp.model.tree;
  mp.model.axioms.push_back(
      {relation::Test::empty, true, t.base_relation(base_id("rf")), "Reads", "", {}, nullptr});
  CHECK(problems(mp.query(), mp.state) == "");
  mp.model.axioms.push_back(
      {relation::Test::empty, false, t.base_set(base_id("W")), "NoWrite", "", {}, nullptr});
  CHECK(problems(mp.query(), mp.state) == "axiom NoWrite fails\n");
}

TEST_CASE("shapes are checked first") {
  const MessagePassing mp;
  engine::State s = mp.state;
  s.witness.values.pop_back();
  CHECK(problems(mp.query(), s) == "the execution has 5 values, expected 6\n");
  s = mp.state;
  s.witness.orders.clear();
  CHECK(problems(mp.query(), s) == "the execution has 0 orders, expected 1\n");
  s = mp.state;
  s.witness.final_writes.clear();
  CHECK(problems(mp.query(), s) == "the execution has 0 final writes, expected 2\n");
  s = mp.state;
  s.witness.decisions.resize(1);
  CHECK(problems(mp.query(), s) == "the execution has 1 decisions, expected 0\n");
}

TEST_CASE("reads") {
  const MessagePassing mp;
  const auto with_source = [&](EventId source) {
    engine::State s = mp.state;
    s.witness.reads_from[mp.ry] = source;
    return problems(mp.query(), s);
  };
  CHECK(contains(with_source(kNoEvent), "event 4 (P1: ld y) reads from nothing"));
  CHECK(contains(with_source(99), "reads from nothing"));
  CHECK(contains(with_source(mp.rx), "which is no write"));
  CHECK(contains(with_source(mp.wx), "reads from event 2 (P0: st x), which writes another cell"));
  CHECK(contains(with_source(mp.iy), "has value 1, but its source event 1 (initial write of y) wrote 0"));
  engine::State s = mp.state;
  s.witness.reads_from[mp.wx] = mp.ix;
  CHECK(contains(problems(mp.query(), s), "is no read of this execution, but reads from"));
}

TEST_CASE("a read does not read from its own operation, nor from a write that does not exist") {
  const Branch taken;
  engine::State s = taken.state;
  s.witness.reads_from[taken.ry] = taken.wy;
  CHECK(contains(problems(taken.query(), s), "reads from the write of its own operation"));
  MessagePassing mp;
  s = mp.state;
  mp.graph.events[mp.wy].guard = mp.graph.exprs.truth(false);
  s.witness.exists.reset(mp.wy);
  CHECK(contains(problems(mp.query(), s), "which does not exist"));
}

TEST_CASE("guards and decisions") {
  const Branch taken;
  engine::State s = taken.state;
  s.witness.exists.reset(taken.wy);
  CHECK(contains(problems(taken.query(), s), "event 4 (P0: st y) does not exist, but its guard is true"));
  s = taken.state;
  s.witness.decisions[0] = event::Truth::no;
  CHECK(contains(problems(taken.query(), s), "decision 0 says no, but its condition is true"));
  s.witness.decisions[0] = event::Truth::unset;
  CHECK(contains(problems(taken.query(), s), "decision 0 is not taken, but its guard is true"));
  const Branch skipped(0);
  s = skipped.state;
  s.witness.decisions[1] = event::Truth::no;
  CHECK(contains(problems(skipped.query(), s), "decision 1 is taken, but its guard is false"));
  s = skipped.state;
  s.witness.exists.set(skipped.wy);
  CHECK(contains(problems(skipped.query(), s), "event 4 (P0: st y) exists, but its guard is false"));
}

TEST_CASE("a guard or value that hangs on a missing read") {
  Branch skipped(0);
  skipped.graph.events[skipped.wy].guard = skipped.equal(skipped.value(skipped.ry), 0);
  CHECK(
      contains(problems(skipped.query(), skipped.state), "the guard of event 4 (P0: st y) hangs on a read"));
  MessagePassing mp;
  mp.graph.events[mp.ry].guard = mp.graph.exprs.truth(false);
  mp.state.witness.exists.reset(mp.ry);
  mp.state.witness.reads_from[mp.ry] = kNoEvent;
  CHECK(contains(problems(mp.query(), mp.state), "1:r0 has no value in this execution"));
}

TEST_CASE("assumptions") {
  MessagePassing mp;
  mp.graph.assumptions.push_back(mp.equal(mp.value(mp.ry), 1));
  CHECK(problems(mp.query(), mp.state) == "");
  CHECK(problems(mp.query(), mp.witness(0, 1)) == "assumption 0 does not hold\n");
}

TEST_CASE("values of writes, and choices of initial writes") {
  const Branch taken;
  engine::State s = taken.state;
  s.witness.values[taken.wy] = 6;
  CHECK(contains(problems(taken.query(), s), "event 4 (P0: st y) has value 6, but stores 5"));
  s = taken.state;
  s.witness.values[taken.ix] = s.witness.values[taken.rx] = 7;
  CHECK(contains(problems(taken.query(), s), "has value 7, which is none of its choices"));
}

TEST_CASE("order choices") {
  MessagePassing mp;
  engine::State s = mp.state;
  s.witness.orders[0].reset(mp.ix, mp.wx);
  CHECK(problems(mp.query(), s) ==
        "order co leaves event 0 (initial write of x) and event 2 (P0: st x) unrelated\n");
  s = mp.state;
  s.witness.orders[0].set(mp.wx, mp.ix);
  CHECK(contains(problems(mp.query(), s), "in both directions"));
  s = mp.state;
  s.witness.orders[0].set(mp.wx, mp.wy);
  CHECK(contains(problems(mp.query(), s),
                 "order co relates event 2 (P0: st x) and event 3 (P0: st y), which are no pair"));
  s = mp.state;
  s.witness.orders[0].set(mp.wx, mp.wx);
  CHECK(contains(problems(mp.query(), s), "which are no pair of it"));

  mp.model = sc_model(true);  // a partial order may leave a pair out, not take it twice
  s = mp.state;
  s.witness.orders[0].reset(mp.ix, mp.wx);
  CHECK(problems(mp.query(), s) == "");
  s.witness.orders[0].set(mp.ix, mp.wx);
  s.witness.orders[0].set(mp.wx, mp.ix);
  CHECK(contains(problems(mp.query(), s), "in both directions"));
}

TEST_CASE("final writes are maximal in coherence") {
  const MessagePassing mp;
  engine::State s = mp.state;
  s.witness.final_writes[mp.x] = mp.ix;
  s.values[2] = 0;
  CHECK(contains(problems(mp.query(), s),
                 "the final write of x is event 0 (initial write of x), which is no last write"));
  s.witness.final_writes[mp.x] = mp.wy;
  CHECK(contains(problems(mp.query(), s), "which is no last write of it"));
  s.witness.final_writes[mp.x] = 99;
  CHECK(contains(problems(mp.query(), s), "event 99 (no such event), which does not exist"));
  s = mp.state;
  s.witness.final_writes[mp.x] = kNoEvent;  // not chosen: the one maximal write will do
  CHECK(problems(mp.query(), s) == "");
}

TEST_CASE("the state shown") {
  MessagePassing mp;
  engine::State s = mp.state;
  s.values[0] = 3;
  CHECK(problems(mp.query(), s) == "the state says 1:r0 = 3, but it is 1\n");
  s = mp.state;
  s.values.pop_back();
  CHECK(problems(mp.query(), s) == "the state has 2 values for 3 observables\n");
  s = mp.state;
  s.satisfied = true;
  CHECK(problems(mp.query(), s) == "the state violates the condition, but is reported as one that does\n");
  mp.graph.filter = mp.equal(mp.value(mp.ry), 0);
  CHECK(problems(mp.query(), mp.state) == "the execution does not meet the filter\n");
}

TEST_CASE("a flag must be raised by its witness") {
  MessagePassing mp;
  relation::Tree& t = mp.model.tree;
  mp.model.flags.push_back(
      {relation::Test::empty, true, t.base_relation(base_id("rmw")), "has-rmw", "", {}, nullptr});
  mp.model.flags.push_back(
      {relation::Test::empty, true, t.base_relation(base_id("rf")), "has-rf", "", {}, nullptr});
  engine::Query query{.graph = mp.graph,
                      .base = mp.base,
                      .signature = event::base_signature(),
                      .model = mp.model,
                      .ask = engine::Ask::flag};
  CHECK(problems(query, mp.state) == "flag has-rmw is not raised\n");
  query.flag = 1;
  CHECK(problems(query, mp.state) == "");
}

TEST_CASE("enumerated relations are one of their alternatives") {
  GraphBuilder b;
  relation::MemoryModel model = sc_model();
  const std::uint32_t phase = base_id("phase");
  for (int i = 0; i < 2; ++i) {
    const event::ThreadId t = b.thread();
    b.graph.threads[t].cta = 0;
    const EventId arrive = b.add(event::EventKind::arrival, t, event::kNoCell, "bar.sync 0");
    const EventId wait = b.add(event::EventKind::wait, t, event::kNoCell, "bar.sync 0");
    event::Barrier barrier;
    barrier.id = b.graph.exprs.constant(0, 32);
    barrier.wait = wait;
    b.graph.events[arrive].barrier = b.graph.events[wait].barrier = barrier;
    b.graph.events[wait].barrier->wait = kNoEvent;
  }
  const event::BaseValues base = event::compute_base(b.graph);
  engine::State s;
  s.witness.exists = relation::BitSet(b.graph.size());
  s.witness.exists.set_all();
  s.witness.values.assign(b.graph.size(), 0);
  s.witness.reads_from.assign(b.graph.size(), kNoEvent);
  s.witness.orders.emplace_back(b.graph.size());
  s.witness.enumerated.resize(event::base_signature().rows().size());
  s.satisfied = true;
  const engine::Query query{.graph = b.graph,
                            .base = base,
                            .signature = event::base_signature(),
                            .model = model,
                            .ask = engine::Ask::states};
  CHECK(problems(query, s) == "");  // this model does not use it

  model.axioms.push_back(
      {relation::Test::acyclic, false, model.tree.base_relation(phase), "Phases", "", {}, nullptr});
  CHECK(problems(query, s) == "relation phase has no value, but the model uses it\n");
  const auto possible = event::alternatives(b.graph, phase, s.witness.decisions).values;
  REQUIRE(possible.size() == 1);
  s.witness.enumerated[phase] = possible.front();
  CHECK(problems(query, s) == "");
  REQUIRE(possible.front().test(0, 3));
  s.witness.enumerated[phase].reset(0, 3);
  CHECK(problems(query, s) == "no interleaving of the barrier operations gives this phase\n");
}

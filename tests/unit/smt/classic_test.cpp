// SPDX-License-Identifier: Apache-2.0
// The classic shapes under sequential consistency and under coherence alone, with their known outcomes.
#include <doctest/doctest.h>

#include <algorithm>

#include "toy.h"

using namespace ptxmc;
using namespace ptxmc::toy;

namespace {

Program store_buffering() {
  Program p(2);
  p.thread();
  p.write(0, 1);
  p.read(1);
  p.thread();
  p.write(1, 1);
  p.read(0);
  return p;
}

Program load_buffering() {
  Program p(2);
  p.thread();
  p.read(0);
  p.write(1, 1);
  p.thread();
  p.read(1);
  p.write(0, 1);
  return p;
}

Program message_passing() {
  Program p(2);
  p.thread();
  p.write(0, 1);
  p.write(1, 1);
  p.thread();
  p.read(1);
  p.read(0);
  return p;
}

Program two_plus_two_writes() {
  Program p(2);
  p.thread();
  p.write(0, 1);
  p.write(1, 2);
  p.thread();
  p.write(1, 1);
  p.write(0, 2);
  p.observe_final(0);
  p.observe_final(1);
  return p;
}

void check_both(const Program& program, const States& sc, const States& coherent) {
  for (const bool strong : {true, false}) {
    const engine::Result result = solve(program, model(strong ? sequential_consistency() : coherence_only()));
    CHECK(result.complete);
    CHECK(states(result) == (strong ? sc : coherent));
    CHECK(result.states.size() == states(result).size());
    CHECK(std::is_sorted(result.states.begin(), result.states.end(),
                         [](const auto& a, const auto& b) { return a.values < b.values; }));
  }
}

const States kAllFour{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

}  // namespace

TEST_CASE("store buffering") {
  check_both(store_buffering(), {{0, 1}, {1, 0}, {1, 1}}, kAllFour);
}

TEST_CASE("load buffering") {
  check_both(load_buffering(), {{0, 0}, {0, 1}, {1, 0}}, kAllFour);
}

TEST_CASE("message passing") {
  check_both(message_passing(), {{0, 0}, {0, 1}, {1, 1}}, kAllFour);
}

TEST_CASE("2+2W") {
  check_both(two_plus_two_writes(), {{1, 2}, {2, 1}, {2, 2}}, {{1, 1}, {1, 2}, {2, 1}, {2, 2}});
}

TEST_CASE("CoRR: two reads of one location never go back") {
  Program p(1);
  p.thread();
  p.write(0, 1);
  p.thread();
  p.read(0);
  p.read(0);
  check_both(p, {{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {0, 1}, {1, 1}});
  const engine::Result loose = solve(p, model(std::string(kCoherence)));
  CHECK(states(loose) == kAllFour);
}

TEST_CASE("increments: every old value once, whatever the model") {
  Program p(1);
  for (int i = 0; i < 4; ++i) {
    p.thread();
    p.increment(0);
  }
  p.observe_final(0);
  const engine::Result result = solve(p, model(sequential_consistency()));
  CHECK(result.complete);
  CHECK(result.states.size() == 24);
  for (const engine::State& state : result.states) CHECK(state.values.back() == 4);
  const engine::Result lossy =
      solve(p, model(std::string(kCoherence) + "acyclic po | rf | co | fromreads(co)\n"));
  CHECK(lossy.states.size() > 24);  // without atomicity updates are lost
}

TEST_CASE("verdict: one decisive state") {
  Program p = store_buffering();
  const event::Expr both_zero = p.graph.exprs.conjunction(p.equal(p.graph.observables[0].value, 0),
                                                          p.equal(p.graph.observables[1].value, 0));
  p.graph.proposition = both_zero;
  CHECK(solve(p, model(sequential_consistency()), engine::Ask::verdict).states.empty());
  const engine::Result weak = solve(p, model(coherence_only()), engine::Ask::verdict);
  REQUIRE(weak.states.size() == 1);
  CHECK(weak.states.front().values == std::vector<event::Value>{0, 0});
  CHECK(weak.states.front().satisfied);
  p.graph.goal = event::Goal::forall;  // a counterexample is asked for
  const engine::Result counter = solve(p, model(sequential_consistency()), engine::Ask::verdict);
  REQUIRE(counter.states.size() == 1);
  CHECK_FALSE(counter.states.front().satisfied);
}

TEST_CASE("filter drops executions") {
  Program p = store_buffering();
  p.graph.filter = p.equal(p.graph.observables[0].value, 1);
  CHECK(states(solve(p, model(coherence_only()))) == States{{1, 0}, {1, 1}});
  const relation::MemoryModel flagged = model(coherence_only() + "flag ~empty rf as f\n");
  CHECK(solve(p, flagged, engine::Ask::flag).states.size() == 1);
  p.graph.filter = p.equal(p.graph.observables[0].value, 5);
  CHECK(solve(p, flagged).states.empty());
  CHECK(solve(p, flagged, engine::Ask::flag).states.empty());  // flags are those of what it leaves
}

TEST_CASE("witness: complete and consistent") {
  const Program p = message_passing();
  for (const engine::State& state : solve(p, model(sequential_consistency())).states) {
    const event::Execution& x = state.witness;
    CHECK(x.exists.count() == 6);
    CHECK(x.values[4] == state.values[0]);
    CHECK(x.values[5] == state.values[1]);
    for (const event::EventId r : {4u, 5u}) {
      REQUIRE(x.reads_from[r] != event::kNoEvent);
      CHECK(x.values[x.reads_from[r]] == x.values[r]);
    }
    REQUIRE(x.orders.size() == 1);
    CHECK(x.orders[0].test(0, 2) != x.orders[0].test(2, 0));
    CHECK(x.orders[0].test(1, 3) != x.orders[0].test(3, 1));
    CHECK(x.orders[0].count() == 2);
    CHECK(x.reads_from[0] == event::kNoEvent);
  }
}

TEST_CASE("a time limit gives unknown") {
  const engine::Result result =
      solve(store_buffering(), model(sequential_consistency()), engine::Ask::states, 0, 1e-9);
  CHECK_FALSE(result.complete);
  CHECK(result.unknown == "timeout");
}

TEST_CASE("effort is bounded by counts, of the encoding's literals for one") {
  const auto bounded = [](engine::Effort effort) {
    const relation::MemoryModel sc = model(sequential_consistency());
    const Program program = store_buffering();
    const event::BaseValues base = program.base();
    return engine::smt::solve({program.graph,
                               base,
                               signature(),
                               sc,
                               engine::Ask::states,
                               0,
                               std::nullopt,
                               ~std::size_t{0},
                               {},
                               effort});
  };
  CHECK(bounded({1U << 20, 1U << 24}).complete);
  const engine::Result little = bounded({10, 1U << 24});
  CHECK_FALSE(little.complete);
  CHECK(little.unknown == "effort");
}

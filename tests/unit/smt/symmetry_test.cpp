// SPDX-License-Identifier: Apache-2.0
// Interchangeable threads: found when they are, not when anything tells them apart; verdicts do not change.
#include "axiomatic/engine/smt/symmetry.h"

#include <doctest/doctest.h>

#include "toy.h"

using namespace ptxmc;
using namespace ptxmc::toy;

namespace {

Program increments(int threads) {
  Program p(2);
  for (int i = 0; i < threads; ++i) {
    p.thread();
    p.increment(0);
  }
  p.observe_final(0);
  return p;
}

std::size_t largest_class(const Program& p, bool proposition = true) {
  const relation::MemoryModel m = model(sequential_consistency());
  const event::BaseValues base = p.base();
  const engine::Query query{
      .graph = p.graph, .base = base, .signature = signature(), .model = m, .ask = engine::Ask::verdict};
  engine::smt::Reach reach(m.tree);
  for (const relation::Constraint& axiom : m.axioms) {
    std::visit(
        [&](auto expression) {
          reach.visit(expression, engine::smt::Need{true, true});
        },
        axiom.expression);
  }
  std::size_t largest = 1;
  for (const auto& c : engine::smt::interchangeable_threads(query, reach, proposition))
    largest = std::max(largest, c.size());
  return largest;
}

bool reachable(const Program& p) {
  const engine::Result result = solve(p, model(sequential_consistency()), engine::Ask::verdict);
  CHECK(result.complete);
  return !result.states.empty();
}

}  // namespace

TEST_CASE("equal threads are interchangeable") {
  CHECK(largest_class(increments(4)) == 4);
}

TEST_CASE("a value, a location or a condition tells threads apart") {
  Program value = increments(3);
  value.thread();
  const event::EventId r = value.read_event(0);
  const event::EventId w = value.write(
      0, value.graph.exprs.make(event::Op::add, 32, value.graph.events[r].value, value.constant(2)));
  value.graph.events[r].rmw_partner = w;
  value.graph.events[w].rmw_partner = r;
  CHECK(largest_class(value) == 3);

  Program location = increments(2);
  location.thread();
  location.increment(1);
  CHECK(largest_class(location) == 2);

  Program condition = increments(3);
  condition.graph.proposition = condition.equal(condition.graph.observables[1].value, 0);
  CHECK(largest_class(condition) == 2);
  CHECK(largest_class(condition, false) == 3);

  Program assumption = increments(3);
  assumption.graph.assumptions.push_back(assumption.equal(assumption.graph.observables[2].value, 1));
  CHECK(largest_class(assumption) == 2);
}

TEST_CASE("a condition over all threads in any order tells nothing apart") {
  Program p = increments(3);
  auto& pool = p.graph.exprs;
  event::Expr all = pool.truth(true);
  for (const std::size_t i : {2u, 0u, 1u})
    all = pool.conjunction(p.equal(p.graph.observables[i].value, 1), all);
  p.graph.proposition = all;
  CHECK(largest_class(p) == 3);
  CHECK_FALSE(reachable(p));  // only one reads 1
}

TEST_CASE("verdicts agree with the states, whoever the condition names") {
  for (std::size_t thread = 0; thread < 3; ++thread) {
    for (event::Value value = 0; value < 4; ++value) {
      Program p = increments(3);
      p.graph.proposition = p.equal(p.graph.observables[thread].value, value);
      bool some = false;
      for (const engine::State& state : solve(p, model(sequential_consistency())).states)
        some = some || state.satisfied;
      CHECK(some == (value < 3));
      CHECK(reachable(p) == some);
    }
  }
}

TEST_CASE("many increments lose none") {
  Program p = increments(10);
  auto& pool = p.graph.exprs;
  p.graph.proposition = pool.negation(p.equal(p.graph.observables.back().value, 10));
  CHECK(largest_class(p) == 10);
  CHECK_FALSE(reachable(p));
}

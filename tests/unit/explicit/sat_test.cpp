// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/sat.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace ptxmc::engine::explicit_;

namespace {

struct Agreeable : Theory {
  std::vector<Clause> check(bool) override { return {}; }
};

// Refuses assignments in which variables a and b are both true, and only when both are known.
struct Refuse : Theory {
  ChoiceSolver& solver;
  ChoiceLit a, b;
  Refuse(ChoiceSolver& s, ChoiceLit x, ChoiceLit y) : solver(s), a(x), b(y) {}
  std::vector<Clause> check(bool) override {
    if (solver.is_true(a) && solver.is_true(b)) return {{~a, ~b}};
    return {};
  }
};

bool satisfies(unsigned bits, const std::vector<Clause>& clauses) {
  for (const Clause& clause : clauses) {
    bool any = false;
    for (ChoiceLit l : clause) any = any || (((bits >> l.var()) & 1) != 0) == l.positive();
    if (!any) return false;
  }
  return true;
}

// All models, found by blocking each.
std::set<unsigned> models(ChoiceSolver& solver, Theory& theory, std::size_t variables) {
  std::set<unsigned> out;
  while (solver.solve(theory, [] { return false; }) == ChoiceSolver::Outcome::model) {
    unsigned bits = 0;
    Clause other;
    for (Var v = 0; v < variables; ++v) {
      const bool on = solver.is_true(ChoiceLit(v, true));
      bits |= (on ? 1u : 0u) << v;
      other.push_back(ChoiceLit(v, !on));
    }
    REQUIRE(out.insert(bits).second);
    if (!solver.add(other)) break;
  }
  return out;
}

}  // namespace

TEST_CASE("the choice solver finds exactly the models of random clause sets") {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    constexpr std::size_t kVariables = 8;
    ChoiceSolver solver;
    for (std::size_t v = 0; v < kVariables; ++v)
      solver.new_var(static_cast<int>(random() % 3), random() % 2 != 0);
    std::vector<Clause> clauses(random() % 30);
    bool open = true;
    for (Clause& clause : clauses) {
      const std::size_t size = 1 + random() % 3;
      for (std::size_t i = 0; i < size; ++i)
        clause.push_back(ChoiceLit(random() % kVariables, random() % 2 != 0));
      open = solver.add(clause) && open;
    }
    std::set<unsigned> expected;
    for (unsigned bits = 0; bits < (1u << kVariables); ++bits) {
      if (satisfies(bits, clauses)) expected.insert(bits);
    }
    Agreeable theory;
    CHECK(models(solver, theory, kVariables) == expected);
    if (!open) CHECK(expected.empty());
  }
}

TEST_CASE("what the theory refuses is no model, and is learned") {
  ChoiceSolver solver;
  for (int v = 0; v < 4; ++v) solver.new_var(v % 2, true);
  Refuse theory(solver, ChoiceLit(0, true), ChoiceLit(3, true));
  const std::set<unsigned> found = models(solver, theory, 4);
  CHECK(found.size() == 12);
  for (unsigned bits : found) CHECK((bits & 9u) != 9u);
}

TEST_CASE("contradictory units leave nothing") {
  ChoiceSolver solver;
  const ChoiceLit l(solver.new_var(0, true), true);
  CHECK(solver.add({l}));
  CHECK_FALSE(solver.add({~l}));
}

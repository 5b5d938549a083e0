// SPDX-License-Identifier: Apache-2.0
// The choice solver beside Z3's SAT solver, on clause sets too large to enumerate, near where half of them have a model.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "axiomatic/engine/explicit/sat.h"
#include "axiomatic/engine/z3.h"

using namespace ptxmc::engine::explicit_;
using ptxmc::engine::z3;

namespace {

/// Z3 on clauses alone.
class Packaged {
 public:
  explicit Packaged(std::size_t variables) : config_(z3().mk_config()), context_(z3().mk_context(config_)) {
    z3().set_error_handler(context_, nullptr);
    solver_ = z3().mk_solver_for_logic(context_, z3().mk_string_symbol(context_, "QF_FD"));
    z3().solver_inc_ref(context_, solver_);
    for (std::size_t v = 0; v < variables; ++v)
      variables_.push_back(z3().mk_const(context_, z3().mk_int_symbol(context_, static_cast<int>(v)),
                                         z3().mk_bool_sort(context_)));
  }
  ~Packaged() {
    z3().solver_dec_ref(context_, solver_);
    z3().del_context(context_);
    z3().del_config(config_);
  }
  Packaged(const Packaged&) = delete;
  Packaged& operator=(const Packaged&) = delete;

  void add(const Clause& clause) {
    std::vector<Z3_ast> literals;
    for (const ChoiceLit l : clause) literals.push_back(of(l));
    z3().solver_assert(context_, solver_,
                       z3().mk_or(context_, static_cast<unsigned>(literals.size()), literals.data()));
  }
  /// Is there a model in which all of them are true?
  bool has_model(const Clause& assumed = {}) {
    std::vector<Z3_ast> literals;
    for (const ChoiceLit l : assumed) literals.push_back(of(l));
    const Z3_lbool answer = z3().solver_check_assumptions(
        context_, solver_, static_cast<unsigned>(literals.size()), literals.data());
    REQUIRE(answer != Z3_L_UNDEF);
    return answer == Z3_L_TRUE;
  }

 private:
  Z3_ast of(ChoiceLit l) const {
    return l.positive() ? variables_[l.var()] : z3().mk_not(context_, variables_[l.var()]);
  }

  Z3_config config_;
  Z3_context context_;
  Z3_solver solver_;
  std::vector<Z3_ast> variables_;
};

bool holds(const ChoiceSolver& solver, const Clause& clause) {
  return std::any_of(clause.begin(), clause.end(), [&](ChoiceLit l) { return solver.is_true(l); });
}

/// Knows clauses that the solver does not, and shows those that an assignment falsifies, `most` at a time.
struct Hidden : Theory {
  const ChoiceSolver& solver;
  std::vector<Clause> clauses;
  std::size_t most = 1;
  explicit Hidden(const ChoiceSolver& of) : solver(of) {}
  std::vector<Clause> check(bool) override {
    std::vector<Clause> out;
    for (const Clause& clause : clauses) {
      const auto is_false = [&](ChoiceLit l) { return solver.value(l) < 0; };
      if (out.size() < most && std::all_of(clause.begin(), clause.end(), is_false)) out.push_back(clause);
    }
    return out;
  }
};

/// One problem, told to both solvers. Some of its clauses only the theory knows, as the engine's theory knows axioms.
class Problem {
 public:
  Problem(std::mt19937& random, std::size_t variables)
      : random_(random), variables_(variables), packaged_(variables), theory_(solver_) {
    const int classes = 1 + static_cast<int>(random_() % 3);
    for (std::size_t v = 0; v < variables; ++v)
      solver_.new_var(static_cast<int>(random_() % classes), random_() % 2 != 0);
    theory_.most = 1 + random_() % 3;
  }

  Clause clause(std::size_t size) {
    Clause out;
    while (out.size() < size) {
      const ChoiceLit l(static_cast<Var>(random_() % variables_), random_() % 2 != 0);
      const auto same = [&](ChoiceLit other) { return other.var() == l.var(); };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(l);
    }
    return out;
  }
  void add(const Clause& clause, bool hidden) {
    all_.push_back(clause);
    packaged_.add(clause);
    if (hidden) {
      theory_.clauses.push_back(clause);
    } else {
      open_ = solver_.add(clause) && open_;
    }
  }
  void add_exactly_one(const Clause& group) {
    all_.push_back(group);
    packaged_.add(group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        all_.push_back({~group[i], ~group[j]});
        packaged_.add(all_.back());
      }
    }
    open_ = solver_.add_exactly_one(group) && open_;
  }

  /// Do both say the same, and is the choice solver's model one?
  bool agree() {
    const bool expected = packaged_.has_model();
    const auto outcome = solver_.solve(theory_, [] { return false; });
    CHECK((outcome == ChoiceSolver::Outcome::model) == expected);
    if (!open_) CHECK_FALSE(expected);
    if (outcome == ChoiceSolver::Outcome::model) {
      for (const Clause& clause : all_) CHECK(holds(solver_, clause));
    }
    return expected;
  }

  Packaged& packaged() { return packaged_; }
  ChoiceSolver& solver() { return solver_; }

 private:
  std::mt19937& random_;
  std::size_t variables_;
  Packaged packaged_;
  ChoiceSolver solver_;
  Hidden theory_;
  std::vector<Clause> all_;
  bool open_ = true;
};

}  // namespace

TEST_CASE("the choice solver and Z3 agree on random clause sets, some of which a theory alone knows") {
  std::mt19937 random(11);
  std::size_t satisfiable = 0;
  constexpr std::size_t kRounds = 120;
  for (std::size_t round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    const std::size_t variables = 30 + random() % 50;
    Problem problem(random, variables);
    const std::size_t hidden = random() % 3;  // of four
    for (std::size_t n = variables * 42 / 10; n > 0; --n)
      problem.add(problem.clause(3), random() % 4 < hidden);
    satisfiable += problem.agree() ? 1 : 0;
  }
  CHECK(satisfiable > kRounds / 5);  // else one answer was hardly tested
  CHECK(satisfiable < kRounds * 4 / 5);
}

TEST_CASE("the choice solver and Z3 agree on groups of which one literal is true") {
  std::mt19937 random(13);
  std::size_t satisfiable = 0;
  constexpr std::size_t kRounds = 120;
  for (std::size_t round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    const std::size_t groups = 8 + random() % 8, width = 3 + random() % 4, variables = groups * width;
    Problem problem(random, variables);
    std::vector<Clause> all(groups);
    for (Var v = 0; v < variables; ++v) all[v / width].push_back(ChoiceLit(v, random() % 4 != 0));
    const std::size_t late = random() % 2 == 0 ? 0 : random() % groups;  // groups that come behind clauses
    for (std::size_t g = late; g < groups; ++g) problem.add_exactly_one(all[g]);
    for (std::size_t n = variables * (5 + random() % 9) / 10; n > 0; --n)
      problem.add(problem.clause(2 + random() % 2), random() % 4 == 0);
    for (std::size_t g = 0; g < late; ++g) problem.add_exactly_one(all[g]);
    satisfiable += problem.agree() ? 1 : 0;
  }
  CHECK(satisfiable > kRounds / 5);
  CHECK(satisfiable < kRounds * 4 / 5);
}

TEST_CASE("the choice solver and Z3 agree after each clause that is added in the middle of a search") {
  std::mt19937 random(17);
  std::size_t satisfiable = 0, unsatisfiable = 0;
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const std::size_t variables = 20 + random() % 30;
    Problem problem(random, variables);
    for (std::size_t n = variables * 3; n > 0; --n) problem.add(problem.clause(3), random() % 4 == 0);
    while (problem.agree()) {
      ++satisfiable;
      for (int n = 0; n < 5; ++n) problem.add(problem.clause(3), random() % 4 == 0);
    }
    ++unsatisfiable;
  }
  CHECK(satisfiable > unsatisfiable);
  CHECK(unsatisfiable == 20);
}

TEST_CASE("what the choice solver settles holds in every model, as Z3 says under the contrary assumption") {
  std::mt19937 random(19);
  std::size_t settled = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::size_t variables = 20 + random() % 30;
    Problem problem(random, variables);
    for (std::size_t n = variables * 2; n > 0; --n)
      problem.add(problem.clause(1 + (random() % 8 != 0 ? 2 : 0)), false);
    if (!problem.solver().settle()) {
      CHECK_FALSE(problem.packaged().has_model());
      continue;
    }
    for (Var v = 0; v < variables; ++v) {
      const ChoiceLit l(v, problem.solver().is_true(ChoiceLit(v, true)));
      if (problem.solver().value(l) == 0) continue;
      ++settled;
      CHECK_FALSE(problem.packaged().has_model({~l}));
    }
  }
  CHECK(settled > 40);
}

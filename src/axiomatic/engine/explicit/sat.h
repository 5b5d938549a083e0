// SPDX-License-Identifier: Apache-2.0
// The choice solver: a small conflict-driven clause-learning search over Boolean choices, with a theory that
// judges assignments (Marques-Silva and Sakallah 1996; Een and Sorensson 2003).
//
// Why learning in an explicit engine: a violated axiom is a cycle that rests on a few choices only.
// Remembering those (a nogood) prunes every other candidate that repeats them; plain enumeration meets them
// again and again. Choices are decided class by class (reads-from before orders), so that the theory can
// reject early.
//
// Why it is not a packaged solver: the theory is asked in the middle of the search, whenever a class of choices is complete, and
// a test takes 0.07 ms, in which others have not begun. Solvers with such an interface (IPASIR-UP) came later than those that
// distributions carry. It lacks some of what those have: restarts, assumptions, and both
// deletion and minimisation of learned clauses. Searches here have some hundred choices, and their cost is the
// theory's. tests/unit/explicit/sat_differential_test.cpp compares it with Z3's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ptxmc::engine::explicit_ {

using Var = std::uint32_t;

/// A variable or its negation.
class ChoiceLit {
 public:
  ChoiceLit() = default;
  ChoiceLit(Var var, bool positive) : code_(2 * var + (positive ? 0 : 1)) {}
  Var var() const { return code_ >> 1; }
  bool positive() const { return (code_ & 1) == 0; }
  std::uint32_t code() const { return code_; }
  static ChoiceLit of_code(std::uint32_t code) { return {code >> 1, (code & 1) == 0}; }
  ChoiceLit operator~() const {
    ChoiceLit l;
    l.code_ = code_ ^ 1;
    return l;
  }
  friend auto operator<=>(const ChoiceLit&, const ChoiceLit&) = default;

 private:
  std::uint32_t code_ = ~std::uint32_t{0};
};

using Clause = std::vector<ChoiceLit>;

class Theory {
 public:
  virtual ~Theory() = default;
  /// Judges the current assignment. `complete`: every variable has a value. Returns clauses that the
  /// assignment falsifies (each implied by the problem); none: no objection. Called on incomplete assignments
  /// too.
  virtual std::vector<Clause> check(bool complete) = 0;
};

class ChoiceSolver {
 public:
  enum class Outcome : std::uint8_t { model, none, stopped };

  /// Variables of a lower class are decided first. `phase`: the value tried first.
  Var new_var(int decision_class, bool phase);
  std::size_t variables() const { return value_.size(); }
  /// Adds a clause, also in the middle of a search (backtracks as far as needed). False: no solution is left.
  bool add(Clause clause);
  /// One of them is true, and no other.
  bool add_exactly_one(const std::vector<ChoiceLit>& literals);

  /// Draws the conclusions of what holds in every solution. False: there is none.
  bool settle();

  /// Next assignment that satisfies all clauses and that the theory accepts. `stop` is polled between
  /// conflicts.
  template <typename Stop>
  Outcome solve(Theory& theory, Stop&& stop) {
    while (true) {
      switch (advance(theory)) {
        case Step::model:
          return Outcome::model;
        case Step::none:
          return Outcome::none;
        case Step::again:
          if (stop()) return Outcome::stopped;
      }
    }
  }

  /// +1 true, -1 false, 0 open.
  int value(ChoiceLit l) const { return l.positive() ? value_[l.var()] : -value_[l.var()]; }
  bool is_true(ChoiceLit l) const { return value(l) > 0; }
  /// The level at which a variable got its value; 0: it holds in every solution.
  std::uint32_t level(Var v) const { return level_[v]; }
  std::uint64_t conflicts() const { return conflicts_; }
  std::uint64_t decisions() const { return decisions_; }

 private:
  enum class Step : std::uint8_t { model, none, again };
  // A reason is a clause, or the literal of the same group that is true (with kOther set), or none.
  static constexpr std::uint32_t kNoReason = ~std::uint32_t{0};
  static constexpr std::uint32_t kOther = std::uint32_t{1} << 31;
  struct Watch {
    std::uint32_t clause : 31;
    std::uint32_t binary : 1;  // the blocker is the clause's other literal
    ChoiceLit blocker;
  };

  Step advance(Theory& theory);
  Step after_propagation(Theory& theory);
  bool refute(Clause clause);
  bool learn_from(std::uint32_t conflict);
  Clause analyze(std::uint32_t conflict, std::uint32_t& back_level);
  std::uint32_t attach(Clause clause);
  std::uint32_t propagate();
  std::uint32_t propagate_groups(ChoiceLit p);
  std::uint32_t propagate_clauses(ChoiceLit p);
  bool watch_another(Clause& clause, std::uint32_t index);
  void enqueue(ChoiceLit l, std::uint32_t reason);
  void cancel_until(std::uint32_t level);
  std::optional<Var> pick();
  void bump(Var v);
  std::uint32_t current_level() const { return static_cast<std::uint32_t>(limits_.size()); }

  // Decision heap: lowest class first, then highest activity.
  bool before(Var a, Var b) const;
  void heap_insert(Var v);
  void heap_up(std::size_t i);
  void heap_down(std::size_t i);

  std::vector<Clause> clauses_;
  std::vector<std::vector<Watch>> watches_;  // by literal code: clauses that watch its negation
  // At most one literal of a group is true: n literals in place of n * (n - 1) / 2 clauses.
  std::vector<Clause> groups_;
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by literal code
  std::vector<std::int8_t> value_;
  std::vector<std::int8_t> phase_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> reason_;
  std::vector<int> class_;
  std::vector<double> activity_;
  std::vector<std::uint8_t> seen_;
  std::vector<Var> heap_;
  std::vector<std::int32_t> heap_place_;
  std::vector<ChoiceLit> trail_;
  std::vector<std::size_t> limits_;
  std::vector<std::size_t> open_in_class_;
  std::vector<bool> used_class_;  // some variable is of it
  std::size_t head_ = 0;
  double increment_ = 1.0;
  bool unsatisfiable_ = false;
  int checked_class_ = -1;  // the theory saw the assignment when this class became complete
  std::uint64_t conflicts_ = 0;
  std::uint64_t decisions_ = 0;
  std::uint64_t unchecked_conflicts_ = 0;  // since the theory last saw an assignment
};

}  // namespace ptxmc::engine::explicit_

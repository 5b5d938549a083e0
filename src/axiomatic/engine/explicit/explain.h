// SPDX-License-Identifier: Apache-2.0
// Reasons: which choices put a pair into a relation, or keep it out.
//
// A violated axiom is explained by walking its expression: a union needs one side, an intersection both, a
// sequence a middle event, a closure a shortest path (edges that hold whatever is chosen cost nothing), a
// `let rec` variable the round of the Kleene iteration in which the pair appeared, so that reasons are
// well-founded. The leaves are choices; the clause that forbids their combination is what the search learns.
// Absence is explained dually; where that has no short form (recursive relations), by all current choices,
// which is sound and still cuts the search.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "axiomatic/engine/explicit/evaluator.h"
#include "axiomatic/engine/explicit/sat.h"
#include "support/recursion.h"

namespace ptxmc::engine::explicit_ {

/// Where the leaves' literals come from; each literal is true in the current assignment.
struct Leaves {
  std::function<ChoiceLit(std::size_t slot)> source_of;  // the choice of a read slot's source
  std::function<ChoiceLit(std::uint32_t order, std::size_t a, std::size_t b)>
      order_edge;  // why (a,b) is chosen
  /// Why (a,b) is not chosen; nothing when it can never be.
  std::function<std::optional<ChoiceLit>(std::uint32_t order, std::size_t a, std::size_t b)> no_order_edge;
  std::function<std::vector<ChoiceLit>()> everything;  // all current choices
};

/// Pairs of events that have been seen in relations.
class PairMarks {
 public:
  /// False: seen before.
  bool insert(relation::Rel r, std::size_t a, std::size_t b, std::size_t events);
  void clear();

 private:
  struct Seen {
    relation::BitMatrix pairs;  // of size 0 until there is one
    bool some = false;
  };
  std::vector<Seen> seen_;              // by relation
  std::vector<std::uint32_t> touched_;  // those with some
};

class NogoodExplainer {
 public:
  NogoodExplainer(Evaluator& evaluator, const Choices& choices, const Leaves& leaves, ChoiceLit constant)
      : evaluator_(evaluator), choices_(choices), leaves_(leaves), constant_(constant) {}

  /// Clauses that an assignment falsifies because it violates the constraint (at most `limit`); none: it
  /// holds.
  std::vector<Clause> violations(const relation::Constraint& constraint, std::size_t limit);
  /// A clause that says: not all reasons of (a, b) in r, together with `also`.
  Clause forbid(relation::Rel r, std::size_t a, std::size_t b, ChoiceLit also);
  /// Where no completion of the assignment has (a, b) in r: a clause that says so of its reasons with `also`.
  std::optional<Clause> refute(relation::Rel r, std::size_t a, std::size_t b, ChoiceLit also, bool complete);

 private:
  static constexpr std::uint32_t kNoRound = ~std::uint32_t{0};
  /// Inside a group's bodies: the round whose matrices apply.
  struct Context {
    std::uint32_t group = 0;
    std::uint32_t round = kNoRound;
  };

  std::vector<Clause> violations_of(relation::Test test, relation::Rel r, std::size_t limit);
  std::vector<Clause> violations_of_set(relation::Set s, std::size_t limit);
  std::vector<Clause> cycles(relation::Rel r, std::size_t limit);
  std::vector<Clause> negated_violations(const relation::Constraint& constraint);

  void present(relation::Rel r, std::size_t a, std::size_t b, Context context);
  void present_in_union(const relation::Union& n, std::size_t a, std::size_t b, Context context);
  void present_in_sequence(const relation::Sequence& n, std::size_t a, std::size_t b, Context context);
  void present_in_variable(const relation::Variable& n, std::size_t a, std::size_t b, Context context);
  void present_reads_from(std::size_t w, std::size_t r);
  void absent_reads_from(std::size_t w, std::size_t r);
  void present_from_reads(const relation::FromReads& n, std::size_t a, std::size_t b, Context context);
  void path(relation::Rel r, std::size_t a, std::size_t b, Context context);
  std::vector<std::size_t> shortest_path(relation::Rel r, std::size_t a, std::size_t b, Context context);
  void present(relation::Set s, std::size_t a);
  void absent(relation::Rel r, std::size_t a, std::size_t b);
  bool ruled_out(relation::Rel r, std::size_t a, std::size_t b) const;
  void rule_out(relation::Rel r, std::size_t a, std::size_t b);
  void absent_from_closure(const relation::Closure& n, std::size_t a, std::size_t b);
  void absent_from_sequence(const relation::Sequence& n, std::size_t a, std::size_t b);
  void absent_from_reads(const relation::FromReads& n, std::size_t a, std::size_t b);
  void absent(relation::Set s, std::size_t a);
  void give_up();

  const relation::BitMatrix& value(relation::Rel r, Context context) const;
  const std::vector<Evaluator::Round>& rounds(std::uint32_t group);
  void add(ChoiceLit l) {
    if (l != constant_) reasons_.insert(l);
  }
  void start();
  Clause finish() const;

  Evaluator& evaluator_;
  const Choices& choices_;
  const Leaves& leaves_;
  ChoiceLit constant_;
  std::set<ChoiceLit> reasons_;
  std::set<std::tuple<std::uint32_t, std::size_t, std::size_t, std::uint32_t>> done_;
  PairMarks absent_done_;
  std::map<std::uint32_t, std::vector<Evaluator::Round>> rounds_;
  Recursion recursion_;
};

}  // namespace ptxmc::engine::explicit_

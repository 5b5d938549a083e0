// SPDX-License-Identifier: Apache-2.0
// The choices of a path as Boolean variables, and what values say about them as clauses.
//
// Every value ranges over a short list (Path), so "expression e has value v" is a literal, defined operator
// by operator. Reads-from then passes values on, and path constraints, filter, proposition and known states
// are clauses too.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "axiomatic/engine/explicit/path.h"
#include "axiomatic/engine/explicit/sat.h"
#include "model/relation/bits.h"
#include "support/recursion.h"

namespace ptxmc::engine::explicit_ {

/// Decision classes, first to last. kRaised: which pair raises the flag that is asked for.
enum DecisionClass : int { kRaised, kReadsFrom, kFinal, kValue, kOrder };

/// The values an expression can have, each with the literal that says so; exactly one holds. Values over terms
/// are told apart by how they are written: whether two have one number is a question of its own (Obligation).
using Alternatives = std::vector<std::pair<event::SymbolicValue, ChoiceLit>>;

/// Where both literals hold, numbers for the terms must make `truth` true.
struct Obligation {
  ChoiceLit a, b;
  event::Expr truth;  // of Path::symbols
};

class Encoding {
 public:
  /// `pairs[k]`: local pairs (a < b) that order declaration k relates; `partial[k]`: they may stay unrelated.
  Encoding(const Query& query, Path& path, ChoiceSolver& solver,
           const std::vector<relation::BitMatrix>& over);
  /// What is read along the sources that are not ruled out by now; before any value is asked for.
  void encode_values();

  ChoiceLit constant_true() const { return true_; }
  /// False: the clauses have no solution.
  bool consistent() const { return consistent_; }

  const Alternatives& value(event::Expr e);  ///< e simplified
  /// The negation of constant_true() when e never has that value.
  ChoiceLit equals(event::Expr e, event::SymbolicValue value);
  /// Clauses and obligations that make a truth value, simplified, true (or false).
  void require_truth(event::Expr e, bool positive = true);
  /// A literal that tells whether e, of width 1 and simplified, is true.
  ChoiceLit decide_truth(event::Expr e);
  const std::vector<Obligation>& obligations() const { return obligations_; }

  struct Edge {
    std::size_t a, b;
    ChoiceLit forward;
    ChoiceLit backward;
  };
  const std::vector<std::vector<Edge>>& orders() const { return orders_; }
  const Edge* edge(std::uint32_t order, std::size_t a, std::size_t b) const;
  /// Per slot of a read (Path): the slots it may take its value from, and their literals.
  const std::vector<std::pair<std::size_t, ChoiceLit>>& sources(std::size_t slot) const {
    return sources_[slot];
  }
  /// Per observed cell: possible last writes (slots) and their literals.
  const std::map<event::CellId, std::vector<std::pair<std::size_t, ChoiceLit>>>& finals() const {
    return finals_;
  }

  /// Chooses last writes for the cells whose final values e has, without a list of the values.
  void choose_finals(event::Expr e);
  /// Final values that are put together from several cells are single reads; call it once all are asked for.
  void join_final_reads();

  /// The current value of e under a complete assignment, in which no value depends on itself. Call new_assignment()
  /// before the first of each.
  event::SymbolicValue current(event::Expr e);
  void new_assignment() { followed_.clear(); }

 private:
  void add_reads_from();
  void add_orders(const std::vector<relation::BitMatrix>& over);
  void pass_value(ChoiceLit condition, event::Expr from, const Alternatives& to);
  Alternatives fresh(const std::vector<event::SymbolicValue>& values, int decision_class);
  bool wants_any_execution() const;
  std::size_t last_before(std::size_t read, const std::vector<std::size_t>& writes) const;
  void choose_final(event::CellId cell);
  Alternatives final_alternatives(event::CellId cell);
  Alternatives combine(event::Expr e);
  ChoiceLit decide_leaf(event::Expr e);
  event::SymbolicValue current_atom(const event::Node& node);
  event::SymbolicValue followed(std::size_t slot);
  event::SymbolicValue current_symbolic(event::Expr e, std::map<event::Expr, event::SymbolicValue>& known);
  void require(Clause clause) { consistent_ = solver_.add(std::move(clause)) && consistent_; }

  const Query& query_;
  Path& path_;
  ChoiceSolver& solver_;
  ChoiceLit true_;
  bool consistent_ = true;
  Recursion recursion_;
  std::vector<std::vector<std::pair<std::size_t, ChoiceLit>>> sources_;
  std::vector<Alternatives> read_values_;  // by slot; reads and choosing initial writes
  std::map<event::CellId, std::vector<std::pair<std::size_t, ChoiceLit>>> finals_;
  // values that slots have in the current assignment, where they decide nothing
  std::map<std::size_t, event::SymbolicValue> followed_;
  std::map<event::Expr, Alternatives> values_;
  std::map<event::Expr, ChoiceLit> truths_;  // where there are terms
  std::vector<Obligation> obligations_;
  std::vector<std::vector<Edge>> orders_;
  std::vector<std::map<std::pair<std::size_t, std::size_t>, std::size_t>> edge_ids_;
};

}  // namespace ptxmc::engine::explicit_

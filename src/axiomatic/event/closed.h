// SPDX-License-Identifier: Apache-2.0
// Expressions of one execution with terms in place of reads: what a state is before the terms have numbers.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "axiomatic/event/execution.h"
#include "axiomatic/event/symbolic_value.h"

namespace ptxmc::event {

class Closed {
 public:
  Closed(const ProgramGraph& graph, Symbols& symbols) : graph_(graph), symbols_(symbols) {}

  /// The execution that the questions below are about; outlives them.
  void enter(const Execution& execution);
  /// With the path's decisions put in, every read replaced by what its source stores.
  SymbolicValue datum(Expr e);
  /// What the execution asks of the terms: conditions of decisions, assumptions and the filter.
  std::vector<Expr> obligations();

  /// The choices that a datum rests on: sources of these slots, final writes of these cells, and decisions.
  struct Support {
    std::set<SlotId> slots;
    std::set<CellId> cells;
    std::set<std::size_t> decisions;
  };
  void add_support(Expr e, Support& support) const;

 private:
  struct Path {
    explicit Path(const ExprPool& exprs) : pool(exprs) {}
    ExprPool pool;
    std::map<Expr, Expr> simplified;
  };
  Expr simplify(Expr e);
  Expr stored_for(const Node& atom);
  SymbolicValue raw(Expr e);

  const ProgramGraph& graph_;
  Symbols& symbols_;
  const Execution* execution_ = nullptr;
  Path* path_ = nullptr;
  std::map<Assignment, std::unique_ptr<Path>> paths_;
  std::map<Expr, SymbolicValue> known_;  // simplified expressions of the execution
};

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Where an expression has a value; internal to this folder.
//
// A register that paths have merged is a choice between what each path left there. Folding takes such choices
// apart where they are truth values: "p, if this path was taken, else no" is a conjunction, whose second part
// means nothing on the other path. Nearly always all reads exist wherever the guard holds.
#pragma once

#include <map>
#include <vector>

#include "axiomatic/event/guards.h"
#include "axiomatic/event/program_graph.h"
#include "support/recursion.h"

namespace ptxmc::lower {

/// For wherever a guard is true; what it has found it keeps, so the graph must not change while it is used.
class ReadsExist {
 public:
  ReadsExist(event::ProgramGraph& graph, event::Expr guard)
      : pool_(graph.exprs), graph_(graph), guard_(guard), given_(event::conjuncts(graph.exprs, guard)) {}

  /// Truth value: the reads that e rests on exist. What a choice does not take, and what a conjunction or
  /// disjunction has no need of, may be missing.
  event::Expr of(event::Expr e);

 private:
  event::Expr of_event(event::EventId e);
  event::Expr weaken(const event::Node& node, const event::Expr (&parts)[3], event::Expr all);

  event::ExprPool& pool_;
  const event::ProgramGraph& graph_;
  event::Expr guard_;
  std::vector<event::Literal> given_;
  std::map<event::Expr, event::Expr> of_guard_, of_node_;
  Recursion recursion_;
};

}  // namespace ptxmc::lower

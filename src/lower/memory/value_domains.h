// SPDX-License-Identifier: Apache-2.0
// Which values memory cells can ever hold, where these are few.
//
// The least solution, over finite sets, of: a cell holds its initial value and whatever any write of the
// program stores, the write's operands being whatever their cells hold. Sets that grow beyond kMaxValues
// count as "any" value. Control flow and order are ignored, so the answer is an over-approximation; it costs
// a few evaluations per write, and suffices to see that a lock is never anything but 0 or 1.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "event/program_graph.h"

namespace ptxmc::lower {

class ValueDomains {
 public:
  explicit ValueDomains(const event::ProgramGraph& graph);

  /// False: no execution satisfies `guard`, a truth value. True: unknown.
  bool may_hold(event::Expr guard) const;

 private:
  using Domain = std::optional<std::set<event::Value>>;  // nothing: any value
  Domain of_atom(event::Expr atom) const;
  Domain of_expression(event::Expr e) const;
  std::optional<event::Value> evaluate(event::Expr e, event::Expr atom, event::Value value) const;
  bool widen(event::CellId cell, const Domain& more);

  const event::ProgramGraph& graph_;
  std::vector<Domain> cells_;
};

}  // namespace ptxmc::lower

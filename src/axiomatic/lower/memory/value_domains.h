// SPDX-License-Identifier: Apache-2.0
// What memory cells can ever hold.
//
// The least solution, over few numbers or fixed bits (known_values.h), of: a cell holds its initial value and whatever any
// write of the program stores, the write's operands being whatever their cells hold. Control flow and order are ignored, so
// the answer is an over-approximation; it suffices to see that a lock is never anything but 0 or 1, and that of a word
// whose upper half says "there" the upper half is 0 or 2. Each atomic happens once: of a counter that two atomics increment
// the values are 0, 1 and 2. A read behind a
// write of its own thread does not see the initial value (8.9.5, 8.10.1). All of it supposes, as No-Thin-Air does (8.10.4), that no value is its own cause.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "axiomatic/event/guards.h"
#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/known_values.h"

namespace ptxmc::lower {

class ValueDomains {
 public:
  explicit ValueDomains(const event::ProgramGraph& graph);

  /// False: no execution satisfies `guard`, a truth value. True: unknown.
  bool may_hold(event::Expr guard) const;

 private:
  using Literals = std::map<event::Expr, std::vector<event::Literal>>;  // by what they depend on alone
  Known of_atom(const event::Node& atom) const;
  void store(event::SlotId slot, KnownValues& values, std::vector<Known>& held);
  Known after_atomics(event::CellId cell, Known before) const;
  bool overwritten(const event::Node& read) const;
  bool consistent(event::Expr pivot, const std::vector<event::Literal>& literals) const;
  std::optional<event::Expr> pivot_of(event::Expr literal, KnownValues& values, bool atoms_only) const;

  const event::ProgramGraph& graph_;
  std::vector<Known> initial_, written_;  // by cell: what it holds at first; what is written to it
  // writes of atomics on one cell, where they are few
  std::map<event::CellId, std::vector<event::SlotId>> atomics_;
  // writes, in program order
  std::map<std::pair<event::ThreadId, event::CellId>, std::vector<event::EventId>> own_;
};

}  // namespace ptxmc::lower

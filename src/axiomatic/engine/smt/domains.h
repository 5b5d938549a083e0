// SPDX-License-Identifier: Apache-2.0
// Domains: which values may flow where.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/engine/smt/deadline.h"
#include "axiomatic/event/program_graph.h"
#include "support/recursion.h"

namespace ptxmc::engine::smt {

/// The values an expression may take; not `finite`: too many to list, anything of its width.
struct ValueSet {
  bool finite = true;
  std::vector<event::Value> values;  ///< ascending, distinct; empty when not finite
};

/// For each slot of a read, the slots of writes it may take its value from (same cell, not its own
/// operation's, able to coexist); see axiomatic/event/program_graph.h.
struct Sources {
  std::vector<std::vector<event::SlotId>> of_read;   ///< per slot
  std::vector<std::vector<event::SlotId>> of_final;  ///< per cell: writes to it that some execution may have
  const std::vector<event::SlotId>& operator[](event::SlotId read) const { return of_read[read]; }
};

/// How values travel: write to read by reads-from, read to write by what the write stores.
struct ValueFlow {
  ValueFlow(const event::ProgramGraph& graph, const Sources& sources);
  /// (r, w) with r an atom of what w stores.
  std::vector<std::pair<event::EventId, event::EventId>> dependencies;
  std::vector<char> cyclic;  ///< per event: a read whose value may depend on itself
  bool any_cyclic = false;
};

class Domains {
 public:
  /// `free_cycles`: reads that lie on a value cycle may return anything. Throws OutOfTime.
  Domains(const event::ProgramGraph& graph, const Sources& sources, const ValueFlow& flow, bool free_cycles,
          const Deadline& deadline);

  const ValueSet& of(event::Expr e);
  const ValueSet& of_read(event::SlotId read) const { return atoms_[read]; }
  ValueSet of_final(event::CellId cell);

 private:
  void propagate(bool free_cycles, const Deadline& deadline);
  ValueSet evaluate(event::Expr e);
  ValueSet combine(const event::Node& node);

  const event::ProgramGraph& graph_;
  const Sources& sources_;
  std::vector<ValueSet> atoms_;                // per slot: what its value_of atom may be
  std::vector<std::optional<ValueSet>> memo_;  // per expression
  const ValueFlow& flow_;
  Recursion recursion_;
};

}  // namespace ptxmc::engine::smt

// SPDX-License-Identifier: Apache-2.0
// Program: the choices of an execution as circuit inputs, with the clauses that make them a candidate
// execution.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/smt/bounds.h"
#include "axiomatic/engine/smt/cnf.h"
#include "axiomatic/engine/smt/deadline.h"
#include "axiomatic/engine/smt/domains.h"
#include "axiomatic/engine/smt/guards.h"
#include "axiomatic/engine/smt/values.h"
#include "support/recursion.h"

namespace ptxmc::engine::smt {

/// Candidate writes of each read, slot by slot: same cell, not its own operation's, not excluded by guards.
Sources possible_sources(const event::ProgramGraph& graph, const Guards& guards);

/// One alternative of an enumerated base relation under one assignment.
struct Alternative {
  Lit chosen;
  relation::BitMatrix value;  ///< on all events
};

class Program {
 public:
  /// Throws OutOfTime. `free_values`: reads on value cycles may return anything (see solve.cpp).
  Program(const Query& query, const Guards& guards, const Sources& sources, const ValueFlow& flow,
          const Reach& reach, bool free_values, Circuit& circuit, Cnf& cnf, const Deadline& deadline);

  Lit exists(event::EventId e) const { return exists_[e]; }
  Lit both(event::EventId a, event::EventId b) { return circuit_.conjunction(exists_[a], exists_[b]); }
  Lit reads_from(event::EventId w, event::EventId r);  ///< at least one cell; kFalse when impossible
  Lit reads_from(event::EventId w, event::EventId r, event::CellId cell) const;  ///< that cell
  Values& values() { return values_; }

  /// Choice of direction of a pair a < b of an order: two independent inputs if partial, else one and its
  /// negation.
  struct Direction {
    Lit forward, backward;
  };
  Direction direction(std::uint32_t order, event::EventId a, event::EventId b, bool partial);

  const std::vector<Alternative>& alternatives(std::uint32_t base) const { return alternatives_[base]; }
  /// False: an enumerated relation has more alternatives than could be listed.
  bool all_alternatives() const { return all_alternatives_; }
  /// Bounds of enumerated base relations, from all alternatives.
  const std::vector<RelBound>& enumerated_bounds() const { return enumerated_bounds_; }

  /// final_write(c, w): the final value of c is w's. Only for cells that observables, proposition or filter
  /// mention.
  struct FinalChoice {
    event::EventId write;
    Lit chosen;
  };
  const std::vector<FinalChoice>& finals(event::CellId cell) const { return finals_[cell]; }

 private:
  void choose_sources();
  void define_values(bool free_values);
  void define_event(event::EventId e, bool free_values);
  void define_open_event(event::EventId e, bool free_values);
  void define_initial(event::EventId e);
  void define_cyclic_read(event::SlotId s, bool free_values);
  void define_read(event::SlotId s);
  void constrain_cyclic_read(event::SlotId s);
  bool is_cyclic(event::SlotId s) const { return flow_.cyclic[graph_.slot(s).event] != 0; }
  void define_existence();
  void constrain_sources();
  void choose_finals();
  void define_final(event::CellId cell);
  void join_final_reads();
  void choose_alternatives();
  void assignments(std::uint32_t base, const std::vector<std::uint32_t>& decisions, std::size_t next,
                   event::Assignment& assignment, std::vector<Lit>& cube);
  void bound_alternatives(std::uint32_t base);
  Choices fresh_choices(const std::vector<event::Value>& values);

  const Query& query_;
  const event::ProgramGraph& graph_;
  const Guards& guards_;
  const Sources& sources_;
  Circuit& circuit_;
  Cnf& cnf_;
  const ValueFlow& flow_;
  const Reach& reach_;
  const Deadline& deadline_;
  Recursion recursion_;
  Domains domains_;
  Values values_;
  std::vector<Lit> exists_;
  std::vector<std::vector<Lit>> reads_from_;  // per slot, parallel to sources_
  std::vector<char> defined_;
  std::map<std::tuple<std::uint32_t, event::EventId, event::EventId>, Direction> directions_;
  std::vector<std::vector<Alternative>> alternatives_;
  bool all_alternatives_ = true;
  std::vector<RelBound> enumerated_bounds_;
  std::vector<std::vector<FinalChoice>> finals_;
};

}  // namespace ptxmc::engine::smt

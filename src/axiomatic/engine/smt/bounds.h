// SPDX-License-Identifier: Apache-2.0
// Bounds: for each node of the tree, what it may and must contain.
#pragma once

#include <cstdint>
#include <vector>

#include "axiomatic/engine/smt/domains.h"
#include "axiomatic/engine/smt/guards.h"
#include "axiomatic/engine/smt/reach.h"
#include "axiomatic/event/base.h"
#include "model/relation/bits.h"
#include "model/relation/memory_model.h"

namespace ptxmc::engine::smt {

struct SetBound {
  relation::BitSet may, must;
};
/// may: in some execution, perhaps. must: in every execution in which both events exist. must is a subset of
/// may.
struct RelBound {
  relation::BitMatrix may, must;
};

/// What the program leaves open: inputs of the bounds besides the tree.
struct OpenBases {
  const Sources& sources;            ///< reads-from candidates
  std::vector<RelBound> enumerated;  ///< per base id (size 0 elsewhere)
};

class Bounds {
 public:
  Bounds(const event::ProgramGraph& graph, const event::BaseValues& base,
         const relation::Signature& signature, const relation::MemoryModel& model, const Guards& guards,
         OpenBases open, const Reach& reach);

  const SetBound& of(relation::Set s) const { return sets_[s.index]; }
  const RelBound& of(relation::Rel r) const { return rels_[r.index]; }

  /// Pairs of the transitive closure of a must relation that hold whenever both ends exist: compositions
  /// count only where the event in the middle exists with one of the ends.
  relation::BitMatrix close_must(relation::BitMatrix must) const;

 private:
  bool pass(bool first);
  bool grow_variables();
  SetBound evaluate(const relation::SetNode& node) const;
  RelBound evaluate(relation::Rel r, const relation::RelNode& node) const;
  RelBound base(std::uint32_t id) const;
  RelBound reads_from() const;
  RelBound from_reads(const RelBound& co) const;
  RelBound order(std::uint32_t index) const;
  enum class Pointwise : std::uint8_t { unite, intersect };
  RelBound pointwise(relation::Rel a, relation::Rel b, Pointwise op) const;
  RelBound difference(relation::Rel a, relation::Rel b) const;
  relation::BitMatrix compose_must(const relation::BitMatrix& a, const relation::BitMatrix& b) const;
  void find_open();

  const event::ProgramGraph& graph_;
  const event::BaseValues& base_;
  const relation::Signature& signature_;
  const relation::MemoryModel& model_;
  const Guards& guards_;
  OpenBases open_;
  const Reach& reach_;
  relation::BitSet possible_;  // events whose guard is not false
  relation::BitMatrix identity_, everything_;
  std::vector<SetBound> sets_;
  std::vector<RelBound> rels_;
  std::vector<bool> open_set_, open_rel_;  // depends on a `let rec` variable, or on an order over one
};

}  // namespace ptxmc::engine::smt

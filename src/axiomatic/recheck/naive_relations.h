// SPDX-License-Identifier: Apache-2.0
// NaiveRelations: the value of every node of a model's tree in one execution, straight from the definitions.
#pragma once

#include <boost/container/flat_set.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "axiomatic/event/base.h"
#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"
#include "axiomatic/recheck/naive_tree.h"
#include "model/relation/memory_model.h"
#include "model/relation/signature.h"
#include "support/budget.h"

namespace ptxmc::check {

/// Ascending, each element once.
using EventSet = boost::container::flat_set<event::EventId>;
using PairSet = boost::container::flat_set<std::pair<event::EventId, event::EventId>>;

/// Everything the evaluator reads; all of it outlives the evaluator. The execution's vectors have the sizes
/// that execution.h says (recheck() makes sure of it before it builds one).
struct NaiveInput {
  const event::ProgramGraph& graph;
  const event::BaseValues& base;
  const relation::Signature& signature;
  const relation::MemoryModel& model;
  const event::Execution& execution;
  Budget budget = {};  ///< beyond it, the evaluator throws OutOfTime
};

class NaiveRelations {
 public:
  explicit NaiveRelations(const NaiveInput& input);

  const EventSet& value(relation::Set s);
  const PairSet& value(relation::Rel r);
  /// Does the execution satisfy an axiom, or raise a flag?
  bool holds(const relation::Constraint& constraint);

 private:
  EventSet compute(const relation::SetNode& node);
  PairSet compute(const relation::RelNode& node);
  PairSet base_relation(std::uint32_t base) const;
  PairSet from_reads(const PairSet& coherence) const;
  const PairSet& variable(const relation::Variable& node);
  void iterate(std::uint32_t group);
  void forget(std::uint32_t group);

  const NaiveInput input_;
  EventSet existing_;
  std::vector<std::optional<EventSet>> sets_;                             // by node; the known values
  std::vector<std::optional<PairSet>> relations_;                         // by node; the known values
  std::map<std::pair<std::uint32_t, std::uint32_t>, PairSet> variables_;  // (group, member) -> current value
  std::set<std::uint32_t> open_;                                          // groups being iterated
  std::set<std::uint32_t> solved_;
  std::map<std::uint32_t, NodeMarks> mentions_;  // per group that was iterated
};

bool is_irreflexive(const PairSet& pairs);
bool is_acyclic(const PairSet& pairs, const Budget& budget = {});
PairSet transitive_closure(const PairSet& pairs, const Budget& budget = {});

}  // namespace ptxmc::check

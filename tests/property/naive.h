// SPDX-License-Identifier: Apache-2.0
// A relation-algebra evaluator in the plainest form: relations are sets of pairs, operators are their
// definitions, rec groups are iterated from empty. It shares no code with the engines or the witness check but
// the table of base relations, which property_main.cpp compares with naive definitions.
#pragma once

#include <boost/container/flat_set.hpp>
#include <cstdint>
#include <map>
#include <utility>

#include "axiomatic/event/execution.h"
#include "harness.h"

namespace ptxmc::testing {

using Events = boost::container::flat_set<event::EventId>;
using Pairs = boost::container::flat_set<std::pair<event::EventId, event::EventId>>;

class Naive {
 public:
  /// The arguments must outlive the evaluator; orders that are not chosen yet may be absent from the
  /// execution.
  Naive(const Prepared& prepared, const relation::MemoryModel& model, const event::Execution& execution)
      : prepared_(prepared), model_(model), execution_(execution) {}

  Pairs value(relation::Rel rel);
  Events value(relation::Set set);
  /// The axiom or flag condition holds.
  bool holds(const relation::Constraint& constraint);

 private:
  bool exists(event::EventId e) const { return execution_.exists.test(e); }
  Events all() const;
  Pairs from_matrix(const relation::BitMatrix& matrix) const;
  Pairs base(std::uint32_t id) const;
  Pairs from_reads(const Pairs& co) const;
  Pairs group_member(std::uint32_t group, std::uint32_t member);
  Pairs compute(relation::Rel rel);

  const Prepared& prepared_;
  const relation::MemoryModel& model_;
  const event::Execution& execution_;
  std::map<std::uint32_t, Pairs> memo_;  // by node; bypassed while a group is iterated
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pairs> variables_;  // current values of open groups
  std::map<std::uint32_t, bool> solved_;  // groups with a final value in variables_
  int open_ = 0;
};

}  // namespace ptxmc::testing

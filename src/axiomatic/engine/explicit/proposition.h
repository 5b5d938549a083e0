// SPDX-License-Identifier: Apache-2.0
// The proposition of a test, as a list of operations: it is evaluated for each of many states.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::engine::explicit_ {

class Proposition {
 public:
  explicit Proposition(const event::ProgramGraph& graph);  ///< which outlives it

  /// As ExprPool::evaluate: `lookup` gives the value of an atom, or nothing where it has none.
  template <typename Lookup>
  bool holds(const Lookup& lookup) {
    if (may_overflow_) return on_demand(lookup);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].node.op != event::Op::value_of && steps_[i].node.op != event::Op::final_value) {
        compute(i);
        continue;
      }
      const std::optional<event::Value> value = lookup(steps_[i].node);
      cells_[i] = {value.value_or(0), value.has_value()};
    }
    return result();
  }

 private:
  struct Step {
    event::Node node;
    int operands = 0;
    std::size_t a = 0, b = 0, c = 0;  // steps before this one
    event::Width operand_width = 0;
  };
  struct Cell {
    event::Value value = 0;
    bool known = false;
  };

  bool on_demand(const std::function<std::optional<event::Value>(const event::Node&)>& lookup) const;
  void compute(std::size_t step);
  Cell truths(const Cell& a, const Cell& b, event::Value decisive) const;
  bool result() const;

  const event::ProgramGraph& graph_;
  bool may_overflow_ = false;  // unbounded arithmetic: what does not matter must not be computed
  std::vector<Step> steps_;    // operands first; the last one is the proposition
  std::vector<Cell> cells_;    // per step
};

}  // namespace ptxmc::engine::explicit_

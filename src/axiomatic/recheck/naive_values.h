// SPDX-License-Identifier: Apache-2.0
// NaiveValues: the value of a symbolic expression in one execution, by a direct interpreter of its own.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"
#include "support/recursion.h"

namespace ptxmc::check {

class NaiveValues {
 public:
  /// Both outlive the object. Final values are unknown until set_final.
  NaiveValues(const event::ProgramGraph& graph, const event::Execution& execution);

  void set_final(event::CellId cell, event::Value value);

  /// Nothing when the value hangs on a read that does not exist, or on a final value that was not chosen.
  /// Throws event::Overflow where unbounded integers leave what 64 bits hold.
  std::optional<event::Value> value(event::Expr e);
  /// value() of a truth value.
  std::optional<bool> truth(event::Expr e);

 private:
  std::optional<event::Value> compute(const event::Node& node);
  std::optional<event::Value> call(const event::Node& node);
  std::optional<event::Value> logical(const event::Node& node);

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  std::map<event::CellId, event::Value> finals_;
  std::map<event::Expr, std::optional<event::Value>> memo_;
  Recursion recursion_;
};

}  // namespace ptxmc::check

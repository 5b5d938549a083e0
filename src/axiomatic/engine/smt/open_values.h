// SPDX-License-Identifier: Apache-2.0
// OpenValues: which expressions may rest on terms, whatever the reads of an execution return.
#pragma once

#include <vector>

#include "axiomatic/engine/smt/domains.h"
#include "axiomatic/event/program_graph.h"

namespace ptxmc::engine::smt {

class OpenValues {
 public:
  OpenValues(const event::ProgramGraph& graph, const Sources& sources);
  bool may_be_open(event::Expr e) const { return open_[e.index] != 0; }

 private:
  std::vector<char> open_;  // per expression
};

}  // namespace ptxmc::engine::smt

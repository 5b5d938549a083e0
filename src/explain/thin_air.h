// SPDX-License-Identifier: Apache-2.0
// Values out of thin air: executions in which a value justifies itself around a cycle of reads-from and
// stored values. Engines refuse to make them up; to show what an axiom against them excludes, one guesses for
// them.
#pragma once

#include <optional>

#include "axiomatic/engine/engine.h"

namespace ptxmc::explain {

/// A copy of a program in which, on each cycle of values, one read returns what an unknown initial write of
/// its own holds, and is assumed to return what its source wrote as well. Its executions are executions of
/// the program.
class ThinAir {
 public:
  /// Nothing where values cannot form a cycle, or where too many reads would have to be guessed.
  static std::optional<ThinAir> of(const event::ProgramGraph& graph, const event::BaseValues& base);

  const event::ProgramGraph& graph() const { return graph_; }
  const event::BaseValues& base() const { return base_; }
  /// A state of the copy as one of the program.
  engine::State restored(engine::State state) const;

 private:
  ThinAir() = default;
  void guess(const std::vector<event::EventId>& reads);

  std::size_t size_ = 0, cells_ = 0;  // of the program
  event::ProgramGraph graph_;
  event::BaseValues base_;
};

}  // namespace ptxmc::explain

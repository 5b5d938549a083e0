// SPDX-License-Identifier: Apache-2.0
// Events as a reader names them: W1, R2, F1 in program order, as the manual's examples do.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"

namespace ptxmc::explain {

/// Names of the events of one execution. W0 is the initial write (of every location); the halves of an atomic
/// are A1.R and A1.W, the arrival and the wait of a barrier B1.arrive and B1.wait.
class EventNames {
 public:
  EventNames(const event::ProgramGraph& graph, const event::Execution& execution);

  const std::string& name(event::EventId e) const { return names_[e]; }
  /// "W1 data=1", "F1 fence.sc.sys".
  std::string title(event::EventId e) const;
  /// "P0:3": thread and line of the instruction; "initial" for an initial write.
  std::string place(event::EventId e) const;
  /// "kernel.cu:88": what the instruction was compiled from; empty where nobody knows.
  std::string origin(event::EventId e) const;
  /// "W1 data=1 (P0:3)".
  std::string label(event::EventId e) const;
  /// The location as the instruction names it: an alias under its own name. Empty where the event is no
  /// access.
  std::string location(event::EventId e) const;

 private:
  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  std::vector<std::string> names_;  // per event of the graph; empty for those that do not exist
};

/// The end of a thread is bookkeeping, not something that the program does.
bool is_shown(const event::ProgramGraph& graph, event::EventId e);

/// "P0 @ gpu 0, cta 1".
std::string thread_title(const event::ThreadInfo& thread);

}  // namespace ptxmc::explain

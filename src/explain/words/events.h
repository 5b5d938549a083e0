// SPDX-License-Identifier: Apache-2.0
// Events as a reader names them: W1, R2, F1 in program order, as the manual's examples do.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"

namespace ptxmc::explain {

/// The location as an access names it: an alias under its own name, an element with its index. Empty of what is no access.
std::string location_of(const event::ProgramGraph& graph, event::EventId e);
/// "read", "write" or "atomic"; empty of what is no access of a program.
std::string access_of(const event::Event& event);

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
  /// "kernel.cu:88": what the instruction was compiled from; empty where that is unknown.
  std::string origin(event::EventId e) const;
  /// "W1 data=1 (P0:3)".
  std::string label(event::EventId e) const;
  /// location_of()
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

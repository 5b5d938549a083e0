// SPDX-License-Identifier: Apache-2.0
// The barrier operations of one execution, as the naive simulator (naive_phases.cpp) runs them; internal to
// it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"
#include "axiomatic/recheck/naive_values.h"

namespace ptxmc::check {

/// (what, then who owns it and its address, number or mask): 0 bar, 1 warp, 2 cluster, 3 mbarrier, 4 a CTA pair.
using ObjectName = std::vector<event::Value>;

class BarrierProgram {
 public:
  BarrierProgram(const event::ProgramGraph& graph, const event::Execution& execution, NaiveValues& values);

  struct Object {
    ObjectName name;
    std::set<event::ThreadId> participants;  ///< of a bar without a count, and of a cluster barrier
  };
  std::map<event::ThreadId, std::vector<event::EventId>> programs;
  std::vector<event::EventId> signals;
  std::vector<Object> objects;
  std::map<event::EventId, std::size_t> object_of;
  std::set<event::EventId> related;  ///< events that `phase` may relate to something
  bool hopeless = false;             ///< a thread waits forever

  const event::Event& event(event::EventId e) const { return graph_.events[e]; }
  bool exists(event::EventId e) const;
  event::Value value(event::Expr e) const { return values_.value(e).value_or(0); }
  bool is_bar(event::EventId e) const { return event(e).barrier && !event(e).barrier->cluster; }
  bool is_signal(event::EventId e) const { return event(e).kind == event::EventKind::signal; }
  /// A wait that is an operation of its own: of an mbarrier or a cluster barrier.
  bool waits(event::EventId e) const;
  bool waits_at_bar(event::EventId e) const { return event(e).barrier->wait != event::kNoEvent; }
  /// Waits forever.
  bool blocked(event::EventId e) const;
  /// The thread comes to its end.
  bool ends(event::ThreadId t) const;
  /// Arrivals that an operation on an mbarrier object takes from the pending count.
  event::Value arrivals(event::EventId e) const;
  /// Threads that are connected through objects.
  std::vector<std::set<event::ThreadId>> groups() const;

 private:
  bool takes_part(event::EventId e) const;
  ObjectName name_of(event::EventId e) const;
  event::Value turn_of_pair(event::EventId e) const;
  void add_participants(event::EventId e, Object& object);

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  NaiveValues& values_;
};

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
#include "event/reorder.h"

#include <utility>

#include "event/sync_path.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

/// States name arrivals by numbers: from now on by those that they had.
void keep_states(ProgramGraph& graph) {
  for (EventId e = 0; e < graph.size(); ++e) {
    auto& operands = graph.events[e].mbarrier;
    const bool arrives =
        operands && (operands->op == MbarrierOp::arrive || operands->op == MbarrierOp::arrive_drop);
    if (arrives && !operands->token) operands->token = graph.exprs.constant(arrival_state(e), 64);
  }
}

class Renumbering {
 public:
  Renumbering(ProgramGraph& graph, const std::vector<EventId>& to) : graph_(graph), to_(to) {}

  void run() {
    for (Event& event : graph_.events) {
      follow(event.rmw_partner);
      follow(event.vector);
      follow(event.issue);
      if (event.barrier) follow(event.barrier->wait);
    }
    for (Part& part : graph_.parts) follow(part.event);
    for (auto* list : {&graph_.api_sync, &graph_.tracked, &graph_.completed, &graph_.freed,
                       &graph_.dependencies, &graph_.exits})
      follow(*list);
    for (Hang& hang : graph_.hangs) {
      follow(hang.event);
      for (EventId& read : hang.reads) follow(read);
      follow(hang.again);
    }
    graph_.exprs.rename_events(to_);
  }

 private:
  void follow(EventId& e) const {
    if (e != kNoEvent) e = to_[e];
  }
  void follow(std::vector<std::pair<EventId, EventId>>& pairs) const {
    for (auto& [a, b] : pairs) {
      follow(a);
      follow(b);
    }
  }

  ProgramGraph& graph_;
  const std::vector<EventId>& to_;
};

}  // namespace

std::vector<EventId> reorder(ProgramGraph& graph, const std::vector<EventId>& order) {
  PTXMC_CHECK(order.size() == graph.size(), "an order of some of the events");
  keep_states(graph);
  std::vector<EventId> to(graph.size(), kNoEvent);
  std::vector<Event> events;
  for (const EventId e : order) {
    PTXMC_CHECK(to[e] == kNoEvent, "an order that has an event twice");
    to[e] = static_cast<EventId>(events.size());
    events.push_back(std::move(graph.events[e]));
  }
  graph.events = std::move(events);
  Renumbering(graph, to).run();
  return to;
}

}  // namespace ptxmc::event

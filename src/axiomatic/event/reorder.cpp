// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/reorder.h"

#include <utility>

#include "axiomatic/event/sync_path.h"
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
    for (auto* list : {&graph_.api_sync, &graph_.dependents, &graph_.tracked, &graph_.completed,
                       &graph_.freed, &graph_.dependencies, &graph_.exits})
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

struct Cut {
  std::vector<Slot> slots;  // that stay
  bool changed = false;
};

Cut cut_slots(const ProgramGraph& graph, EventId e, const std::vector<char>& cells) {
  Cut out;
  for (std::size_t k = 0; k < graph.slots_of(e); ++k) {
    const Slot slot = graph.slot(graph.slot_of(e, k));
    if (slot.cell == kNoCell || cells[slot.cell] == 0) {
      out.slots.push_back(slot);
    } else {
      out.changed = true;
    }
  }
  return out;
}

void drop_pairs(std::vector<std::pair<EventId, EventId>>& pairs, const std::vector<char>& gone) {
  std::erase_if(pairs, [&](const auto& pair) { return gone[pair.first] != 0 || gone[pair.second] != 0; });
}

}  // namespace

void leave_out(ProgramGraph& graph, const std::vector<char>& cells) {
  keep_states(graph);
  const std::size_t before = graph.size();
  std::vector<char> gone(before, 0), changed(before, 0);
  std::vector<Event> events;
  std::vector<Part> parts;
  std::vector<EventId> to(before, kNoEvent);
  for (EventId e = 0; e < before; ++e) {
    const Cut cut = cut_slots(graph, e, cells);
    gone[e] = static_cast<char>(cut.slots.empty());
    if (cut.slots.empty()) continue;
    to[e] = static_cast<EventId>(events.size());
    Event event = std::move(graph.events[e]);
    event.cell = cut.slots.front().cell;
    event.value = cut.slots.front().value;
    event.first_part = static_cast<std::uint32_t>(parts.size());
    event.part_count = static_cast<std::uint32_t>(cut.slots.size() - 1);
    for (std::size_t k = 1; k < cut.slots.size(); ++k)
      parts.push_back({e, cut.slots[k].cell, cut.slots[k].value});
    changed[events.size()] = static_cast<char>(cut.changed);
    events.push_back(std::move(event));
  }
  auto next =
      static_cast<EventId>(events.size());  // numbers for the atoms of those that go, which nothing asks for
  for (EventId e = 0; e < before; ++e) {
    if (gone[e] != 0) to[e] = next++;
  }
  for (auto* list : {&graph.api_sync, &graph.dependents, &graph.tracked, &graph.completed, &graph.freed,
                     &graph.dependencies, &graph.exits})
    drop_pairs(*list, gone);
  graph.events = std::move(events);
  graph.parts = std::move(parts);
  Renumbering(graph, to).run();
  for (EventId e = 0; e < graph.size(); ++e) {
    if (changed[e] == 0 || !graph.events[e].is_read()) continue;
    for (std::size_t k = 0; k < graph.slots_of(e); ++k) {
      Expr& value = k == 0 ? graph.events[e].value : graph.parts[graph.events[e].first_part + k - 1].value;
      value = graph.exprs.value_of(e, graph.exprs[value].width, static_cast<std::uint32_t>(k));
    }
  }
}

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

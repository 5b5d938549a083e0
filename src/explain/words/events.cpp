// SPDX-License-Identifier: Apache-2.0
#include "explain/words/events.h"

#include <fmt/format.h>

#include <map>

#include "explain/words/values.h"

namespace ptxmc::explain {

using event::EventId;
using event::EventKind;
using event::kNoEvent;

namespace {

/// Letter and suffix of an event's name.
struct Form {
  std::string letter, suffix;
};

Form form_of(const event::Event& e) {
  const bool half = e.rmw_partner != kNoEvent;
  switch (e.kind) {
    case EventKind::initial_write:
      return {"W0", ""};
    case EventKind::read:
      return half || e.labels.atomic ? Form{"A", half ? ".R" : ""} : Form{"R", ""};
    case EventKind::write:
      return half || e.labels.atomic ? Form{"A", half ? ".W" : ""} : Form{"W", ""};
    case EventKind::fence:
    case EventKind::proxy_fence:
      return {"F", ""};
    case EventKind::arrival:
      return {"B", e.barrier && e.barrier->wait != kNoEvent ? ".arrive" : ""};
    case EventKind::wait:
      return {"B", ".wait"};
    case EventKind::mbarrier:
    case EventKind::signal:
      return {"B", ""};
    case EventKind::issue:
      return {"I", ""};
    case EventKind::group:
      return {"G", ""};
    case EventKind::api:
      return {"H", ""};
    default:
      return {"E", ""};
  }
}

}  // namespace

EventNames::EventNames(const event::ProgramGraph& graph, const event::Execution& execution)
    : graph_(graph), execution_(execution), names_(graph.size()) {
  std::map<std::string, int> counts;
  std::map<EventId, int> number_of_partner;  // of a second half, by its event
  for (EventId e = 0; e < graph.size(); ++e) {
    const event::Event& event = graph.events[e];
    if (!execution.exists.test(e) || !is_shown(graph, e)) continue;
    const Form form = form_of(event);
    if (event.kind == EventKind::initial_write) {
      names_[e] = form.letter;
      continue;
    }
    const auto known = number_of_partner.find(e);
    const int number = known != number_of_partner.end() ? known->second : ++counts[form.letter];
    names_[e] = fmt::format("{}{}{}", form.letter, number, form.suffix);
    if (event.rmw_partner != kNoEvent) number_of_partner.emplace(event.rmw_partner, number);
    if (event.barrier && event.barrier->wait != kNoEvent)
      number_of_partner.emplace(event.barrier->wait, number);
  }
}

std::string location_of(const event::ProgramGraph& graph, EventId e) {
  const event::Event& event = graph.events[e];
  if (!event.is_access() || event.cell >= graph.cells.size()) return "";
  const std::string& owner = graph.cells[event.cell].name;
  if (event.kind == EventKind::initial_write || event.labels.name >= graph.names.size()) return owner;
  const std::string& used = graph.names[event.labels.name].name;
  return owner.starts_with(used) ? owner : used;  // an element keeps its index
}

std::string access_of(const event::Event& event) {
  const bool atomic = event.rmw_partner != kNoEvent || event.labels.atomic;
  switch (event.kind) {
    case EventKind::read:
      return atomic ? "atomic" : "read";
    case EventKind::write:
      return atomic ? "atomic" : "write";
    default:
      return "";
  }
}

std::string EventNames::location(EventId e) const {
  return location_of(graph_, e);
}

std::string EventNames::title(EventId e) const {
  const event::Event& event = graph_.events[e];
  if (!event.is_access()) return fmt::format("{} {}", names_[e], event.text);
  return fmt::format("{} {}={}", names_[e], location(e), print_access_value(graph_, execution_, e));
}

std::string EventNames::place(EventId e) const {
  const event::Event& event = graph_.events[e];
  if (event.kind == EventKind::initial_write) return "initial";
  if (event.thread >= graph_.threads.size()) return fmt::format("line {}", event.position.line);
  return fmt::format("P{}:{}", graph_.threads[event.thread].number, event.position.line);
}

std::string EventNames::origin(EventId e) const {
  return origin_at(graph_.origins, graph_.events[e].position).text();
}

std::string EventNames::label(EventId e) const {
  return fmt::format("{} ({})", title(e), place(e));
}

bool is_shown(const event::ProgramGraph& graph, EventId e) {
  return graph.events[e].kind != EventKind::end;
}

std::string thread_title(const event::ThreadInfo& thread) {
  if (thread.host) return fmt::format("P{} @ host", thread.number);
  return fmt::format("P{} @ gpu {}, cta {}", thread.number, thread.gpu, thread.cta);
}

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/recheck/describe.h"

#include <fmt/format.h>

namespace ptxmc::check {

std::string describe(const event::ProgramGraph& graph, event::EventId e) {
  if (e == event::kNoEvent) return "no event";
  if (e >= graph.size()) return fmt::format("event {} (no such event)", e);
  const event::Event& event = graph.events[e];
  if (event.kind == event::EventKind::initial_write) {
    const bool named = event.cell < graph.cells.size();
    return fmt::format("event {} (initial write of {})", e, named ? graph.cells[event.cell].name : "?");
  }
  const bool placed = event.thread < graph.threads.size();
  const std::string thread = placed ? fmt::format("P{}", graph.threads[event.thread].number) : "no thread";
  return fmt::format("event {} ({}: {})", e, thread, event.text);
}

}  // namespace ptxmc::check

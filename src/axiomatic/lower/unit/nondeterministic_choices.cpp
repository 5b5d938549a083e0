// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/nondeterministic_choices.h"

#include <algorithm>

#include "axiomatic/lower/unit/unit.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;
using event::ThreadId;

constexpr event::Width kOracleWidth = 32;

}  // namespace

void NondeterministicChoices::add(Unit& unit, const ChoicePlan& plan) {
  for (const auto& [key, largest] : plan) add(unit, key, largest);
  fixed_ = true;
}

EventId NondeterministicChoices::add(Unit& unit, ChoiceKey key, event::Value largest) {
  event::Cell cell;
  cell.name = "scheduler";
  cell.width = kOracleWidth;
  unit.graph.cells.push_back(cell);
  event::Event event;
  event.kind = event::EventKind::initial_write;
  event.guard = unit.pool().truth(true);
  event.cell = static_cast<event::CellId>(unit.graph.cells.size() - 1);
  event.value = unit.pool().value_of(static_cast<EventId>(unit.graph.size()), kOracleWidth);
  event.labels.space = isa::Space::global;
  event.text = "choice of the scheduler";
  for (event::Value v = 0; v <= largest; ++v) event.choices.push_back(v);
  const EventId id = unit.add_event(std::move(event));
  events_.emplace(key, id);
  return id;
}

Expr NondeterministicChoices::is(Unit& unit, ChoiceKey key, event::Value value) {
  // One more value than is asked for: "none of these".
  event::Value& largest = asked_[key];
  largest = std::max(largest, value + 1);
  auto place = events_.find(key);
  if (place == events_.end()) {
    PTXMC_CHECK(!fixed_, "the second run over the threads asks the scheduler what the first did not");
    add(unit, key, largest);
    place = events_.find(key);
  }
  auto& pool = unit.pool();
  return pool.make(event::Op::eq, 1, pool.value_of(place->second, kOracleWidth),
                   pool.constant(value, kOracleWidth));
}

std::size_t waits_before(const event::ProgramGraph& graph, ThreadId thread, EventId end) {
  return static_cast<std::size_t>(std::count_if(
      graph.events.begin(), graph.events.begin() + static_cast<std::ptrdiff_t>(end),
      [&](const event::Event& e) {
        const bool bar =
            e.kind == event::EventKind::arrival && e.barrier && e.barrier->wait != event::kNoEvent;
        const bool phase =
            e.kind == event::EventKind::wait && (e.mbarrier || (e.barrier && e.barrier->cluster));
        return e.thread == thread && (bar || phase);
      }));
}

bool may_stop(const event::ProgramGraph& graph, ThreadId thread) {
  const event::ThreadInfo& info = graph.threads[thread];
  if (info.host) return false;
  const auto first =
      std::find_if(graph.threads.begin(), graph.threads.end(),
                   [&](const event::ThreadInfo& other) { return !other.host && other.gpu == info.gpu; });
  return first->cta != info.cta;
}

}  // namespace ptxmc::lower

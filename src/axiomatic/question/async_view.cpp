// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/async_view.h"

#include <algorithm>

#include "ptx/isa/opcode.h"

namespace ptxmc::check {

using event::EventId;
using event::EventKind;
using event::kNoEvent;
using isa::Trait;

namespace {

PairSet pairs(const engine::Query& query, const engine::State& racing, model::Role role) {
  const NaiveInput input{query.graph, query.base, query.signature, query.model, racing.witness, query.budget};
  return evaluate_role(input, role).value_or(PairSet{});
}

/// Which groups an operation, a commit or a wait belongs to.
enum class GroupKind : std::uint8_t { none, plain, bulk, wgmma };

GroupKind groups_of(const event::Event& event) {
  const isa::OpcodeTraits& traits = isa::traits(event.opcode);
  if (traits.has(Trait::of_wgmma)) return GroupKind::wgmma;
  if (!traits.has(Trait::of_copies)) return GroupKind::none;
  return event.bulk ? GroupKind::bulk : GroupKind::plain;
}

}  // namespace

AsyncView::AsyncView(const engine::Query& query, const engine::State& racing)
    : graph_(query.graph),
      execution_(racing.witness),
      causality_(pairs(query, racing, model::Role::base_causality)),
      met_(pairs(query, racing, model::Role::meeting)) {}

bool AsyncView::reads_from(EventId w, EventId r) const {
  for (std::size_t k = 0; k < graph_.slots_of(r); ++k) {
    if (execution_.reads_from[graph_.slot_of(r, k)] == w) return true;
  }
  return false;
}

bool AsyncView::comes_first(EventId other, EventId copy) const {
  if (ordered(other, copy)) return true;
  if (ordered(copy, other)) return false;
  const EventId issue = event(copy).issue;
  if (event(other).thread == event(copy).thread) return other < issue;
  if (event(other).is_write()) return !event(copy).is_write() && reads_from(other, copy);
  if (issue_is_awaited(other, issue) || meets_before(other, issue)) return true;
  return !reads_from(copy, other) && reads_another_copy(other);
}

// A buffer that is filled again: its reader had what an earlier copy brought.
bool AsyncView::reads_another_copy(EventId r) const {
  for (std::size_t k = 0; k < graph_.slots_of(r); ++k) {
    const EventId source = execution_.reads_from[graph_.slot_of(r, k)];
    if (source != kNoEvent && is_async(source)) return true;
  }
  return false;
}

// An arrival behind `e` meets a wait before the instruction `issue`: an order that was meant.
bool AsyncView::meets_before(EventId e, EventId issue) const {
  return std::any_of(met_.begin(), met_.end(), [&](const auto& pair) {
    const bool behind = event(pair.first).thread == event(e).thread && pair.first > e;
    return behind && event(pair.second).thread == event(issue).thread && pair.second < issue;
  });
}

// Something of the reader's thread behind the read reaches the copy's instruction.
bool AsyncView::issue_is_awaited(EventId r, EventId issue) const {
  return std::any_of(causality_.begin(), causality_.end(), [&](const auto& pair) {
    return pair.second == issue && event(pair.first).thread == event(r).thread && pair.first >= r;
  });
}

std::optional<std::pair<EventId, EventId>> AsyncView::missed_phase(EventId first, EventId second) const {
  std::optional<std::pair<EventId, EventId>> missed;
  for (EventId w = 0; w < second; ++w) {
    if (event(w).kind != EventKind::wait || event(w).thread != event(second).thread || !exists(w)) continue;
    for (EventId arrival = first + 1; arrival < graph_.size(); ++arrival) {
      const bool behind =
          event(arrival).kind == EventKind::arrival && event(arrival).thread == event(first).thread;
      if (!behind || !exists(arrival) || !same_object(arrival, w)) continue;
      if (met(arrival, w)) return std::nullopt;
      if (!missed) missed = {arrival, w};
    }
  }
  return missed;
}

EventId AsyncView::signal_of(EventId access) const {
  for (const auto& [tracked, signal] : graph_.tracked) {
    if (tracked == access) return signal;
  }
  return kNoEvent;
}

bool AsyncView::same_object(EventId signal, EventId wait) const {
  const auto &a = event(signal).mbarrier, &b = event(wait).mbarrier;
  return a && b && a->owner == b->owner && a->object == b->object;
}

std::vector<EventId> AsyncView::group_waits(EventId access) const {
  std::vector<EventId> out;
  const EventId issue = event(access).issue;
  for (EventId w = issue + 1; w < graph_.size(); ++w) {
    const bool waits =
        isa::traits(event(w).opcode).has(Trait::waits) && event(w).thread == event(access).thread;
    if (waits && groups_of(event(w)) == groups_of(event(issue))) out.push_back(w);
  }
  return out;
}

bool AsyncView::committed(EventId access, EventId wait) const {
  for (EventId e = event(access).issue + 1; e <= wait; ++e) {
    const bool here = event(e).thread == event(wait).thread && exists(e);
    if (here && isa::traits(event(e).opcode).has(Trait::commits) &&
        groups_of(event(e)) == groups_of(event(wait)))
      return true;
  }
  return false;
}

std::vector<EventId> AsyncView::completing_waits(EventId access) const {
  std::vector<EventId> out;
  for (const auto& [completed, wait] : graph_.completed) {
    if (completed == access && exists(wait)) out.push_back(wait);
  }
  const EventId signal = signal_of(access);
  for (const auto& [arrival, wait] : met_) {
    if (arrival == signal) out.push_back(wait);
  }
  return out;
}

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/strengthening.h"

#include <algorithm>
#include <set>

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::Labels;
using isa::Scope;
using isa::Semantics;

namespace {

bool in_thread_access(const Event& event) {
  return event.is_access() && event.kind != event::EventKind::initial_write;
}

/// An end of a barrier.cluster or of an mbarrier: it has a scope and a semantics of its own.
bool meets(const Event& event) {
  const bool end = event.kind == event::EventKind::arrival || event.kind == event::EventKind::wait;
  return end && event.labels.scope != Scope::none;
}

Semantics ordering(const Event& event, const Labels& labels, Semantics atomic) {
  if (labels.semantics == Semantics::sc || labels.semantics == Semantics::acq_rel) return labels.semantics;
  if (event.kind == event::EventKind::fence) return Semantics::acq_rel;
  if (event.kind == event::EventKind::arrival) return Semantics::release;
  if (event.kind == event::EventKind::wait) return Semantics::acquire;
  if (labels.atomic) {
    if (labels.semantics == Semantics::relaxed) return atomic;
    return atomic == Semantics::relaxed ? labels.semantics : Semantics::acq_rel;
  }
  return event.is_read() ? Semantics::acquire : Semantics::release;
}

}  // namespace

Labels stepped(const Event& event, const Step& step) {
  Labels labels = event.labels;
  const bool access = in_thread_access(event);
  if (!access && event.kind != event::EventKind::fence && !meets(event)) return labels;
  const auto asked = [&](Aspect aspect) { return (step.aspects & bit(aspect)) != 0; };
  if (asked(Aspect::proxy) && access) {
    labels.proxy = isa::Proxy::generic;
    labels.name = labels.generic_name = 0;
  }
  if (asked(Aspect::strength) && access && labels.semantics == Semantics::weak) {
    labels.semantics = Semantics::relaxed;
    labels.scope = step.widest;
  }
  if (asked(Aspect::order) && labels.semantics != Semantics::weak) {
    labels.semantics = ordering(event, labels, step.atomic);
    if (step.returns) labels.no_return = false;
  }
  if (asked(Aspect::scope) && labels.scope != Scope::none) labels.scope = std::max(labels.scope, step.widest);
  return labels;
}

event::ProgramGraph stepped(const event::ProgramGraph& graph, const std::vector<std::size_t>& keys,
                            const Steps& steps) {
  event::ProgramGraph out = graph;
  for (EventId e = 0; e < out.size(); ++e) out.events[e].labels = stepped(graph.events[e], steps[keys[e]]);
  return out;
}

bool differs(const Labels& a, const Labels& b) {
  return a.semantics != b.semantics || a.scope != b.scope || a.no_return != b.no_return;
}

std::vector<int> flagness(const event::ProgramGraph& graph, const std::vector<std::size_t>& keys) {
  std::set<EventId> controlling;
  const auto note = [&](event::Expr condition) {
    for (const EventId e : graph.exprs.atoms(condition)) controlling.insert(e);
  };
  for (const event::Decision& decision : graph.decisions) note(decision.condition);
  for (const event::Expr assumption : graph.assumptions) note(assumption);

  std::set<event::CellId> flags;
  for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
    const EventId e = graph.slot(s).event;
    const Event& event = graph.events[e];
    const bool strong = in_thread_access(event) && event.labels.semantics != Semantics::weak;
    // A fence right before a write or right behind a read: the idiom that publishes and takes.
    const bool write = event.is_write();
    const bool beside = write ? e > 0 : e + 1 < graph.size();
    const Event* other = beside ? &graph.events[write ? e - 1 : e + 1] : nullptr;
    const bool fenced = in_thread_access(event) && other != nullptr && other->thread == event.thread &&
                        other->kind == event::EventKind::fence;
    if (strong || fenced || controlling.contains(e)) flags.insert(graph.slot(s).cell);
  }
  std::vector<int> out(keys.empty() ? 0 : *std::max_element(keys.begin(), keys.end()) + 1, 0);
  for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
    const EventId e = graph.slot(s).event;
    const Event& event = graph.events[e];
    int rank = 0;
    if (in_thread_access(event) && flags.contains(graph.slot(s).cell)) rank = 1;
    const bool strong = in_thread_access(event) && event.labels.semantics != Semantics::weak;
    if (strong || event.kind == event::EventKind::fence) rank = 2;
    out[keys[e]] = std::max(out[keys[e]], rank);
  }
  return out;
}

}  // namespace ptxmc::check

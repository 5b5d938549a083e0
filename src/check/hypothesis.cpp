// SPDX-License-Identifier: Apache-2.0
#include "check/hypothesis.h"

#include <algorithm>
#include <utility>

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;
using event::ProgramGraph;

namespace {

/// Adds what `other` says of one event to what `base` says of all.
void unite_at(std::size_t e, const event::BaseValues& other, event::BaseValues& base) {
  for (std::size_t i = 0; i < base.sets.size(); ++i) {
    if (base.sets[i].size() != 0 && other.sets[i].test(e)) base.sets[i].set(e);
  }
  for (std::size_t i = 0; i < base.relations.size(); ++i) {
    relation::BitMatrix& matrix = base.relations[i];
    for (std::size_t x = 0; x < matrix.size(); ++x) {
      if (other.relations[i].test(e, x)) matrix.set(e, x);
      if (other.relations[i].test(x, e)) matrix.set(x, e);
    }
  }
}

/// The event as another instruction at its place.
Event placed(const ProgramGraph& graph, EventId at, const Event& instruction) {
  Event out = instruction;
  out.thread = graph.events[at].thread;
  out.guard = graph.events[at].guard;
  return out;
}

bool in_order(const Event& event, event::ThreadId thread) {
  return event.thread == thread && event.issue == kNoEvent;
}

}  // namespace

Variant apply(const ProgramGraph& graph, const std::vector<std::size_t>& keys, const Hypothesis& hypothesis) {
  Variant out{hypothesis.steps.empty() ? graph : stepped(graph, keys, hypothesis.steps), {}};
  out.graph.completed.insert(out.graph.completed.end(), hypothesis.completed.begin(),
                             hypothesis.completed.end());
  out.graph.api_sync.insert(out.graph.api_sync.end(), hypothesis.ordered.begin(), hypothesis.ordered.end());
  out.base = event::compute_base(out.graph);
  // One by one: what each has to do with the program's own instructions. Together: with each other.
  ProgramGraph together = out.graph;
  for (const Insertion& insertion : hypothesis.inserted) {
    ProgramGraph alone = out.graph;
    alone.events[insertion.at] = together.events[insertion.at] =
        placed(graph, insertion.at, insertion.instruction);
    unite_at(insertion.at, event::compute_base(alone), out.base);
  }
  if (hypothesis.inserted.size() < 2) return out;
  const event::BaseValues base = event::compute_base(together);
  for (const Insertion& insertion : hypothesis.inserted) unite_at(insertion.at, base, out.base);
  return out;
}

Insertion proxy_fence(EventId at, isa::Proxy kind, isa::Semantics half) {
  Insertion out{at, {}};
  out.instruction.kind = EventKind::proxy_fence;
  out.instruction.labels.proxy = kind;
  out.instruction.labels.semantics = half;
  if (half != isa::Semantics::weak) out.instruction.labels.scope = isa::Scope::sys;
  return out;
}

Insertion wgmma_fence(EventId at) {
  Insertion out{at, {}};
  out.instruction.kind = EventKind::group;
  out.instruction.labels.wgmma = true;
  return out;
}

Insertion tensor_fence(EventId at, event::TensorOp half) {
  Insertion out{at, {}};
  out.instruction.kind = EventKind::group;
  out.instruction.tensor.op = half;
  return out;
}

EventId instruction_of(const ProgramGraph& graph, EventId access) {
  const EventId issue = graph.events[access].issue;
  return issue == kNoEvent ? access : issue;
}

EventId turn_of(const ProgramGraph& graph, EventId e) {
  const Event& event = graph.events[e];
  if (event.issue != kNoEvent) return event.issue;
  if (event.vector != kNoEvent) return event.vector;
  return event.rmw_partner != kNoEvent ? std::min(e, event.rmw_partner) : e;
}

EventId before(const ProgramGraph& graph, EventId e) {
  for (EventId at = turn_of(graph, e); at-- > 0;) {
    if (in_order(graph.events[at], graph.events[e].thread)) return at;
  }
  return kNoEvent;
}

EventId behind(const ProgramGraph& graph, EventId e) {
  for (EventId at = e + 1; at < graph.size(); ++at) {
    if (in_order(graph.events[at], graph.events[e].thread) && turn_of(graph, at) != turn_of(graph, e))
      return at;
  }
  return kNoEvent;
}

}  // namespace ptxmc::check

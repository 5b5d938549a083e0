// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/hypothesis.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "axiomatic/event/reorder.h"
#include "support/check.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;
using event::MbarrierOp;
using event::ProgramGraph;
using event::TensorOp;

namespace {

bool in_order(const Event& event, event::ThreadId thread) {
  return event.thread == thread && event.issue == kNoEvent;
}

bool arrives(const Insertion& insertion) {
  return insertion.object != 0 && insertion.instruction.kind != EventKind::wait;
}

Insertion beside(const ProgramGraph& graph, Insertion out, EventKind kind, isa::Semantics semantics,
                 isa::Scope scope) {
  const Event& there = graph.events[out.at];
  out.instruction.kind = kind;
  out.instruction.labels.semantics = semantics;
  out.instruction.labels.scope = scope;
  if (there.kind == kind && there.mbarrier) out.instruction.labels = there.labels;
  return out;
}

/// Puts events into a graph. They get the numbers behind all others first, and their places at the end.
class Writer {
 public:
  explicit Writer(ProgramGraph& graph) : graph_(graph), old_size_(static_cast<EventId>(graph.size())) {
    for (EventId e = 0; e < old_size_; ++e) {
      const EventId turn = turn_of(graph_, e);
      if (graph_.events[e].thread == event::kNoThread) continue;
      first_.try_emplace(turn, e);
      last_[turn] = e;
    }
  }

  void insert(const std::vector<Insertion>& insertions) {
    for (const Insertion& insertion : insertions) note_object(insertion);
    for (const Insertion& insertion : insertions) put(insertion);
  }

  void move(EventId instruction, EventId behind) {
    const EventId turn = turn_of(graph_, instruction);
    for (EventId e = first_.at(turn); e <= last_.at(turn); ++e) {
      if (turn_of(graph_, e) != turn) continue;
      Event& event = graph_.events[e];
      event.thread = graph_.events[behind].thread;
      event.guard = graph_.exprs.conjunction(event.guard, graph_.events[behind].guard);
      moved_.push_back(e);
      behind_[last_.at(turn_of(graph_, behind))].push_back(e);
    }
  }

  std::vector<EventId> order() const {
    std::vector<EventId> out;
    for (EventId e = 0; e < old_size_; ++e) {
      if (std::find(moved_.begin(), moved_.end(), e) == moved_.end()) emit(e, out);
    }
    return out;
  }

 private:
  struct Object {
    std::uint32_t owner = 0;
    event::Expr guard;  // of the arrival
    bool awaited = false;
  };

  // It lies where the first of those that wait for it is.
  void note_object(const Insertion& insertion) {
    if (insertion.object == 0) return;
    const Event& at = graph_.events[insertion.at];
    Object& object =
        objects_.try_emplace(insertion.object, Object{0, graph_.exprs.truth(true)}).first->second;
    if (arrives(insertion)) {
      object.guard = at.guard;
    } else if (!object.awaited) {
      object.awaited = true;
      object.owner = graph_.threads[at.thread].cta;
    }
  }

  void put(const Insertion& insertion) {
    if (insertion.instead && replaced_.insert(insertion.at).second) {
      bind(insertion, graph_.events[insertion.at]);
      return;
    }
    const EventId turn = turn_of(graph_, insertion.at);
    auto& place = insertion.behind ? behind_[last_.at(turn)] : before_[first_.at(turn)];
    EventId id = add(insertion, insertion.instruction);
    place.push_back(id);
    if (insertion.instruction.tensor.op == TensorOp::commit) {
      Event signal = commit_signal(id, {}, insertion.object).instruction;
      id = add(insertion, std::move(signal));
      place.push_back(id);
    }
    Event& event = graph_.events[id];
    if (insertion.object != 0) bind(insertion, event);
    auto& list = event.kind == EventKind::signal ? graph_.tracked : graph_.completed;
    for (const EventId access : insertion.accesses) list.emplace_back(access, id);
  }

  EventId add(const Insertion& insertion, Event instruction) {
    const auto id = static_cast<EventId>(graph_.size());
    instruction.thread = graph_.events[insertion.at].thread;
    instruction.guard = graph_.events[insertion.at].guard;
    graph_.events.push_back(std::move(instruction));
    return id;
  }

  // An operation on an object that expects one arrival. Who waits does so where there is an arrival.
  void bind(const Insertion& insertion, Event& event) {
    const Object& object = objects_.at(insertion.object);
    event::Mbarrier operands;
    operands.object = graph_.exprs.constant(-static_cast<event::Value>(insertion.object), 64);  // no address
    operands.owner = object.owner;
    const event::Expr one = graph_.exprs.constant(1, 64);
    if (event.kind == EventKind::wait) {
      operands.op = MbarrierOp::wait;
      operands.parity = graph_.exprs.constant(0, 64);
      event.guard = graph_.exprs.conjunction(event.guard, object.guard);
    } else {
      operands.op = event.kind == EventKind::signal ? MbarrierOp::signal : MbarrierOp::arrive;
      operands.count = one;
      graph_.mbarriers.push_back({object.owner, graph_.exprs[operands.object].constant, 1});
    }
    event.mbarrier = operands;
  }

  void emit(EventId e, std::vector<EventId>& out) const {
    const auto all = [&](const std::map<EventId, std::vector<EventId>>& places) {
      const auto here = places.find(e);
      if (here == places.end()) return;
      for (const EventId other : here->second) emit(other, out);
    };
    all(before_);
    out.push_back(e);
    all(behind_);
  }

  ProgramGraph& graph_;
  const EventId old_size_;
  std::map<EventId, EventId> first_, last_;                  // by turn
  std::map<EventId, std::vector<EventId>> before_, behind_;  // by event
  std::vector<EventId> moved_;
  std::set<EventId> replaced_;  // a wait can be for one object only: for a second one, there is another wait
  std::map<std::uint32_t, Object> objects_;
};

}  // namespace

bool uses(const Hypothesis& hypothesis, Aspect aspect) {
  return std::any_of(hypothesis.steps.begin(), hypothesis.steps.end(),
                     [&](const Step& step) { return (step.aspects & bit(aspect)) != 0; });
}

EventId Variant::source(const event::Execution& execution, const ProgramGraph& program,
                        event::SlotId slot) const {
  const EventId e = program.slot(slot).event;
  const std::size_t part =
      slot < program.size() ? 0 : slot - program.size() - program.events[e].first_part + 1;
  const EventId write = execution.reads_from[graph.slot_of(number[e], part)];
  const auto known = std::find(number.begin(), number.end(), write);
  return known == number.end() ? kNoEvent : static_cast<EventId>(known - number.begin());
}

Variant apply(const ProgramGraph& graph, const std::vector<std::size_t>& keys, const Hypothesis& hypothesis) {
  Variant out{hypothesis.steps.empty() ? graph : stepped(graph, keys, hypothesis.steps), {}, {}};
  out.graph.completed.insert(out.graph.completed.end(), hypothesis.completed.begin(),
                             hypothesis.completed.end());
  out.graph.api_sync.insert(out.graph.api_sync.end(), hypothesis.ordered.begin(), hypothesis.ordered.end());
  Writer writer(out.graph);
  writer.insert(hypothesis.inserted);
  for (const auto& [instruction, behind] : hypothesis.moved) writer.move(instruction, behind);
  out.number = event::reorder(out.graph, writer.order());
  out.number.resize(graph.size());
  out.base = event::compute_base(out.graph);
  return out;
}

Insertion proxy_fence(EventId at, bool behind, isa::Proxy kind, isa::Semantics half) {
  Insertion out{at, behind, {}};
  out.instruction.kind = EventKind::proxy_fence;
  out.instruction.labels.proxy = kind;
  out.instruction.labels.semantics = half;
  if (half != isa::Semantics::weak) out.instruction.labels.scope = isa::Scope::sys;
  return out;
}

Insertion wgmma_fence(EventId at) {
  Insertion out{at, false, {}};
  out.instruction.kind = EventKind::group;
  out.instruction.labels.wgmma = true;
  return out;
}

Insertion tensor_fence(EventId at, bool behind, TensorOp half) {
  Insertion out{at, behind, {}};
  out.instruction.kind = EventKind::group;
  out.instruction.tensor.op = half;
  return out;
}

Insertion tensor_wait(EventId at, std::vector<EventId> accesses) {
  Insertion out{at, true, {}, std::move(accesses)};
  out.instruction.kind = EventKind::group;
  return out;
}

Insertion tensor_commit(EventId at, std::vector<EventId> accesses, std::uint32_t object) {
  Insertion out{at, true, {}, std::move(accesses), object};
  out.instruction.kind = EventKind::issue;
  out.instruction.tensor.op = TensorOp::commit;
  return out;
}

Insertion commit_signal(EventId commit, std::vector<EventId> accesses, std::uint32_t object) {
  Insertion out{commit, true, {}, std::move(accesses), object};
  out.instruction.kind = EventKind::signal;
  out.instruction.issue = commit;
  out.instruction.labels.semantics = isa::Semantics::release;
  out.instruction.labels.scope = isa::Scope::cluster;
  return out;
}

Insertion arrival(const ProgramGraph& graph, EventId at, isa::Scope scope, std::uint32_t object) {
  return beside(graph, {at, true, {}, {}, object}, EventKind::arrival, isa::Semantics::release, scope);
}

Insertion phase_wait(const ProgramGraph& graph, EventId at, isa::Scope scope, std::uint32_t object) {
  Insertion out = beside(graph, {at, false, {}, {}, object}, EventKind::wait, isa::Semantics::acquire, scope);
  out.instead = graph.events[at].kind == EventKind::wait && graph.events[at].mbarrier;
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

std::vector<EventId> turns_of(const ProgramGraph& graph, const std::vector<EventId>& events) {
  std::vector<EventId> out;
  out.reserve(events.size());
  for (const EventId e : events) out.push_back(turn_of(graph, e));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

EventId behind(const ProgramGraph& graph, EventId e) {
  for (EventId at = e + 1; at < graph.size(); ++at) {
    if (in_order(graph.events[at], graph.events[e].thread) && turn_of(graph, at) != turn_of(graph, e))
      return at;
  }
  return kNoEvent;
}

}  // namespace ptxmc::check

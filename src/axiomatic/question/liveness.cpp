// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/liveness.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <variant>

#include "axiomatic/event/barriers.h"
#include "axiomatic/question/definition.h"
#include "model/roles.h"
#include "support/check.h"

namespace ptxmc::check {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Hang;
using event::ThreadId;

bool mentions(const relation::Tree& tree, std::uint32_t base) {
  return std::any_of(tree.relations().begin(), tree.relations().end(), [&](const relation::RelNode& node) {
    const auto* found = std::get_if<relation::BaseRel>(&node);
    return found != nullptr && found->base == base;
  });
}

class StandstillExplainer {
 public:
  StandstillExplainer(const engine::Query& query, const event::Execution& execution)
      : graph_(query.graph), execution_(execution), phase_(query.signature.find("phase")) {
    const NaiveInput input{graph_, query.base, query.signature, query.model, execution, query.budget};
    NaiveRelations relations(input);
    coherence_ = relations.value(query.model.coherence);
    const auto phase = query.signature.find("phase");
    const bool chosen =
        phase && *phase < execution.enumerated.size() && execution.enumerated[*phase].size() == graph_.size();
    if (chosen)
      stuck_ = event::stuck_phases(graph_, execution.decisions, execution.enumerated[*phase], query.budget);
  }

  Standstill run() {
    result_.fates.assign(graph_.threads.size(), Fate::not_started);
    for (ThreadId t = 0; t < graph_.threads.size(); ++t) result_.fates[t] = fate(t);
    for (const Hang& hang : graph_.hangs) {
      if (!holds(hang.guard)) continue;
      switch (hang.kind) {
        case Hang::Kind::spin:
          explain_spin(hang);
          break;
        case Hang::Kind::barrier:
          explain_barrier(hang);
          break;
        case Hang::Kind::phase:
          explain_phase(hang);
          break;
      }
    }
    std::stable_sort(result_.waits.begin(), result_.waits.end(),
                     [](const Wait& a, const Wait& b) { return a.thread < b.thread; });
    return std::move(result_);
  }

 private:
  bool exists(EventId e) const { return execution_.exists.test(e); }
  bool holds(event::Expr guard) const { return event::exists_on(graph_, guard, execution_.decisions); }

  Fate fate(ThreadId t) const {
    bool begun = false;
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (graph_.events[e].thread != t || !exists(e)) continue;
      if (event::is_thread_end(graph_, e)) return Fate::ended;
      begun = true;
    }
    const bool waits = std::any_of(graph_.hangs.begin(), graph_.hangs.end(),
                                   [&](const Hang& hang) { return hang.thread == t && holds(hang.guard); });
    return waits ? Fate::waits : begun ? Fate::stopped : Fate::not_started;
  }

  Absence absence_of(ThreadId t) const {
    switch (result_.fates[t]) {
      case Fate::ended:
        return Absence::ended;
      case Fate::waits:
        return Absence::waits;
      case Fate::stopped:
        return Absence::stopped;
      case Fate::not_started:
        return Absence::not_started;
    }
    return Absence::waits;
  }

  /// Events of one instruction (turns of a loop) are told once.
  void add(Wait& wait, const Awaited& awaited) {
    const bool known = std::any_of(wait.awaited.begin(), wait.awaited.end(), [&](const Awaited& other) {
      const bool same_place = other.event != event::kNoEvent && awaited.event != event::kNoEvent &&
                              graph_.events[other.event].position == graph_.events[awaited.event].position;
      return other.thread == awaited.thread && (other.event == awaited.event || same_place);
    });
    if (!known) wait.awaited.push_back(awaited);
  }

  void explain_spin(const Hang& hang) {
    bool reads = false;
    const std::size_t first = result_.waits.size();
    for (const EventId r : hang.reads) {
      if (!exists(r)) continue;
      reads = true;
      for (std::size_t k = 0; k < graph_.slots_of(r); ++k) explain_read(hang, r, graph_.slot_of(r, k));
    }
    // What a turn reads besides is of interest only where nothing is awaited.
    const auto begin = result_.waits.begin() + static_cast<std::ptrdiff_t>(first);
    const auto waits_for_something = [](const Wait& wait) { return !wait.awaited.empty(); };
    if (std::any_of(begin, result_.waits.end(), waits_for_something))
      result_.waits.erase(std::remove_if(begin, result_.waits.end(), std::not_fn(waits_for_something)),
                          result_.waits.end());
    if (!reads)
      result_.waits.push_back(
          {hang.kind, hang.thread, hang.position, event::kNoEvent, event::kNoEvent, {}, {}});
  }

  void explain_read(const Hang& hang, EventId r, event::SlotId slot) {
    Wait wait{hang.kind, hang.thread, hang.position, r, execution_.reads_from[slot], {}, {}};
    const event::CellId cell = graph_.slot(slot).cell;
    const event::Value seen = execution_.values[slot];
    for (EventId w = 0; w < graph_.size(); ++w) {
      const Event& write = graph_.events[w];
      if (write.kind != EventKind::write || write.thread == hang.thread || !graph_.covers(w, cell)) continue;
      const event::SlotId at = graph_.slot_at(w, cell);
      if (!exists(w)) {
        const event::Expr value = graph_.slot(at).value;
        const bool same_value = graph_.exprs.is_constant(value) && graph_.exprs[value].constant == seen;
        if (!same_value) add(wait, {write.thread, w, absence_of(write.thread)});
      } else if (w != wait.source && execution_.values[at] != seen &&
                 !coherence_.contains({w, wait.source})) {
        const bool later = coherence_.contains({wait.source, w});
        add(wait, {write.thread, w, later ? Absence::invisible : Absence::races});
      }
    }
    result_.waits.push_back(std::move(wait));
  }

  bool same_barrier(const Event& a, const Event& b) const {
    return event::may_be_one_barrier(graph_, a, b) && graph_.exprs.is_constant(a.barrier->id) &&
           graph_.exprs.is_constant(b.barrier->id) &&
           graph_.exprs[a.barrier->id].constant == graph_.exprs[b.barrier->id].constant;
  }

  static const std::vector<ThreadId>& participants(const event::BarrierPath& path,
                                                   const event::BarrierOperation& op) {
    return path.objects[op.object].participants;
  }

  /// Those of the phase that `op` waits for: the blocked ones, and the last of those that do not wait and
  /// that are in no completed phase.
  std::vector<EventId> arrivals(const event::BarrierPath& path, const event::BarrierOperation& op) const {
    std::vector<EventId> blocked, passing;
    for (const auto& other : path.operations) {
      if (other.object != op.object) continue;
      if (other.blocked) blocked.push_back(other.arrival);
      if (other.wait == event::kNoEvent && !in_completed_phase(other.arrival))
        passing.push_back(other.arrival);
    }
    if (op.count && *op.count > 0) {
      const auto room =
          static_cast<std::size_t>(*op.count) - std::min(blocked.size(), static_cast<std::size_t>(*op.count));
      // Phases that arrivals alone have completed leave no trace.
      while (passing.size() >= room && !passing.empty()) {
        passing.erase(passing.begin(),
                      passing.begin() + static_cast<std::ptrdiff_t>(
                                            std::min(passing.size(), static_cast<std::size_t>(*op.count))));
      }
    }
    blocked.insert(blocked.end(), passing.begin(), passing.end());
    std::sort(blocked.begin(), blocked.end());
    return blocked;
  }

  bool in_completed_phase(EventId arrival) const {
    if (!phase_ || *phase_ >= execution_.enumerated.size()) return false;
    const relation::BitMatrix& phase = execution_.enumerated[*phase_];
    if (phase.size() == 0) return false;
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (phase.test(arrival, e)) return true;
    }
    return false;
  }

  /// Participants that have neither arrived nor ended, nor an arrival that is awaited already.
  void add_absent(Wait& wait, const std::vector<ThreadId>& participants) {
    for (const ThreadId t : participants) {
      const auto of_thread = [&](EventId e) { return graph_.events[e].thread == t; };
      if (std::any_of(wait.arrived.begin(), wait.arrived.end(), of_thread)) continue;
      if (result_.fates[t] == Fate::ended) {
        ++wait.ended;
        continue;
      }
      const bool told = std::any_of(wait.awaited.begin(), wait.awaited.end(),
                                    [t](const Awaited& a) { return a.thread == t; });
      if (!told) add(wait, {t, event::kNoEvent, absence_of(t)});
    }
  }

  void explain_barrier(const Hang& hang) {
    const auto path = event::barrier_path(graph_, execution_.decisions);
    PTXMC_CHECK(path.has_value(), "an execution whose barriers contradict each other");
    const auto op = std::find_if(path->operations.begin(), path->operations.end(),
                                 [&](const auto& o) { return o.arrival == hang.event; });
    PTXMC_CHECK(op != path->operations.end(), "an arrival that is no operation of its path");
    Wait wait{hang.kind, hang.thread, hang.position, hang.event, event::kNoEvent, op->count, {}};
    wait.arrived = arrivals(*path, *op);
    wait.expected = op->count ? static_cast<std::size_t>(*op->count) : participants(*path, *op).size();
    for (EventId e = 0; e < graph_.size(); ++e) {
      const Event& event = graph_.events[e];
      const bool arrives = event.kind == EventKind::arrival && event.barrier && !event.barrier->cluster;
      if (!arrives || exists(e) || event.thread == hang.thread) continue;
      if (same_barrier(graph_.events[hang.event], event))
        add(wait, {event.thread, e, absence_of(event.thread)});
    }
    if (!op->count) add_absent(wait, participants(*path, *op));
    result_.waits.push_back(std::move(wait));
  }

  /// It would take part in the phase of a wait: an arrival, or a change of the tx-count.
  bool of_phase(const Event& wait, const Event& event) const {
    if (event.kind == EventKind::end || event.kind == EventKind::wait) return false;
    if (wait.mbarrier) {
      return event.mbarrier && event.mbarrier->owner == wait.mbarrier->owner &&
             event.mbarrier->object == wait.mbarrier->object &&
             event.mbarrier->op != event::MbarrierOp::inval &&
             event.mbarrier->op != event::MbarrierOp::init &&
             event.mbarrier->op != event::MbarrierOp::test_failed;
    }
    return event.barrier && event.barrier->cluster &&
           graph_.threads[event.thread].cluster == graph_.threads[wait.thread].cluster;
  }

  void explain_phase(const Hang& hang) {
    const Event& end = graph_.events[hang.event];
    Wait wait{hang.kind, hang.thread, hang.position, hang.event, event::kNoEvent, {}, {}};
    for (const event::StuckPhase& stuck : stuck_) {
      if (stuck.event == hang.event && end.mbarrier) wait.phase = stuck;
    }
    std::set<ThreadId> arrived{hang.thread};
    for (EventId e = 0; e < graph_.size(); ++e) {
      const Event& event = graph_.events[e];
      if (!of_phase(end, event)) continue;
      if (exists(e)) {
        arrived.insert(event.thread);
      } else {
        add(wait, {event.thread, e, absence_of(event.thread)});
      }
    }
    for (ThreadId t = 0; end.barrier && t < graph_.threads.size(); ++t) {
      const bool member = graph_.threads[t].cluster == graph_.threads[hang.thread].cluster;
      const bool told = std::any_of(wait.awaited.begin(), wait.awaited.end(),
                                    [t](const Awaited& a) { return a.thread == t; });
      if (member && !told && !arrived.contains(t) && result_.fates[t] != Fate::ended)
        add(wait, {t, event::kNoEvent, absence_of(t)});
    }
    result_.waits.push_back(std::move(wait));
  }

  const event::ProgramGraph& graph_;
  const event::Execution& execution_;
  std::vector<event::StuckPhase> stuck_;
  const std::optional<std::uint32_t> phase_;
  PairSet coherence_;
  Standstill result_;
};

}  // namespace

relation::MemoryModel with_progress(const relation::MemoryModel& model,
                                    const relation::Signature& signature) {
  const auto row = signature.find("spin");
  PTXMC_CHECK(row.has_value(), "no base relation spin");
  relation::MemoryModel out = model;
  const bool speaks_of_it = mentions(out.tree, *row);
  relation::Tree& tree = out.tree;
  const relation::Rel spin = tree.base_relation(*row);
  const auto never = [&](relation::Rel r, const char* name) {
    relation::Constraint axiom;
    axiom.test = relation::Test::empty;
    axiom.expression = r;
    axiom.name = name;
    axiom.source = out.source;
    out.axioms.push_back(std::move(axiom));
  };
  const relation::Rel reads_from = tree.base_relation(signature.find("rf").value());
  never(tree.subtract(tree.sequence(reads_from, spin), reads_from), "Repetition");
  if (speaks_of_it) return out;
  relation::Rel overtaken = tree.from_reads(out.coherence);
  auto visible = model::relation_of(out, model::Role::visibility);
  if (!visible) visible = model::relation_of(out, model::Role::moral_strength);
  if (visible) overtaken = tree.intersect(overtaken, *visible);
  never(tree.sequence(spin, overtaken), "Progress");
  for (std::uint32_t order = 0; order < out.orders.size(); ++order) {
    const relation::Rel repeated = tree.sequence(spin, tree.order_choice(order));
    const relation::Rel onto_repeated = tree.sequence(tree.sequence(repeated, tree.inverse(spin)), spin);
    never(tree.subtract(repeated, onto_repeated), "Progress");
  }
  return out;
}

Standstill explain_standstill(const engine::Query& query, const event::Execution& execution) {
  return StandstillExplainer(query, execution).run();
}

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
#include "check/barrier_warnings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "event/sync_machine.h"

namespace ptxmc::check {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::MbarrierOp;
using event::ProgramGraph;
using event::ThreadId;
using event::Value;

std::string place(const ProgramGraph& graph, const Event& event) {
  return "P" + std::to_string(graph.threads[event.thread].number) + " line " +
         std::to_string(event.position.line) + " `" + event.text + "`";
}

std::optional<Value> constant(const ProgramGraph& graph, const std::optional<event::Expr>& e, Value absent) {
  if (!e) return absent;
  if (!graph.exprs.is_constant(*e)) return std::nullopt;
  return graph.exprs[*e].constant;
}

/// What a program does to an mbarrier object, all of it together.
struct Use {
  std::optional<Value> expected;  // by its only init
  Value arrivals = 0;
  bool known = true;    // every number is constant, nothing renews the object or drops, no path is left out
  bool certain = true;  // all of it happens in every execution
  EventId first = event::kNoEvent, wait = event::kNoEvent;
};

using Object = std::pair<std::uint32_t, Value>;  // owner, address

Object object_of(const ProgramGraph& graph, const Event& event) {
  return {event.mbarrier->owner, graph.exprs[event.mbarrier->object].constant};
}

void add(const ProgramGraph& graph, EventId e, Use& use) {
  const Event& event = graph.events[e];
  const event::Mbarrier& it = *event.mbarrier;
  if (use.first == event::kNoEvent) use.first = e;
  use.certain = use.certain && graph.exprs.is_true(event.guard);
  switch (it.op) {
    case MbarrierOp::init:
      use.known = use.known && !use.expected && constant(graph, it.count, 0);
      use.expected = constant(graph, it.count, 0);
      use.first = e;
      break;
    case MbarrierOp::wait:
      use.wait = e;
      break;
    case MbarrierOp::arrive:
    case MbarrierOp::arrive_drop:
    case MbarrierOp::signal: {
      const auto count = constant(graph, it.count, it.op == MbarrierOp::signal ? 0 : 1);
      use.known = use.known && count && !it.increments_pending && it.op != MbarrierOp::arrive_drop;
      use.arrivals += count.value_or(0);
      break;
    }
    default:
      break;
  }
}

std::map<Object, Use> uses_of(const ProgramGraph& graph) {
  std::map<Object, Use> uses;
  for (const event::InitialMbarrier& initial : graph.mbarriers)
    uses[{initial.owner, initial.object}].expected = initial.count;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.mbarrier && event.kind != EventKind::issue && event.kind != EventKind::end)
      add(graph, e, uses[object_of(graph, event)]);
  }
  return uses;
}

/// Phases of an object that some wait observes, in the value of `phase` that has fewest of them.
std::size_t least_observed(const ProgramGraph& graph, const Object& object,
                           const std::vector<relation::BitMatrix>& phases) {
  std::size_t least = ~std::size_t{0};
  for (const relation::BitMatrix& phase : phases) {
    std::map<EventId, std::set<EventId>> members;  // by wait
    phase.for_each([&](std::size_t arrival, std::size_t wait) {
      const Event& event = graph.events[wait];
      if (event.mbarrier && object_of(graph, event) == object)
        members[static_cast<EventId>(wait)].insert(static_cast<EventId>(arrival));
    });
    std::set<std::set<EventId>> observed;
    for (const auto& entry : members) observed.insert(entry.second);
    least = std::min(least, observed.size());
  }
  return least;
}

std::string too_many_expected(const ProgramGraph& graph, const Use& use) {
  return place(graph, graph.events[use.first]) + ": its object expects " + std::to_string(*use.expected) +
         " arrivals, and the threads of the test make " + std::to_string(use.arrivals) +
         " at most: a thread that stands for a warp arrives once";
}

/// Nothing where there is no time for them, or where they cannot all be listed.
std::vector<relation::BitMatrix> all_phases(const ProgramGraph& graph, const Budget& budget) {
  const event::Assignment path(graph.decisions.size(), event::Truth::unset);
  try {
    event::Alternatives phases = event::phase_alternatives(graph, path, event::SyncReductions::all, budget);
    if (phases.complete) return std::move(phases.values);
  } catch (const OutOfTime&) {
  }
  return {};
}

}  // namespace

std::vector<std::string> mbarrier_warnings(const ProgramGraph& graph, const Budget& budget) {
  std::vector<std::string> warnings;
  std::optional<std::vector<relation::BitMatrix>> phases;
  for (const auto& [object, use] : uses_of(graph)) {
    if (graph.cut || !use.known || !use.expected || *use.expected <= 0 || use.first == event::kNoEvent)
      continue;
    if (use.wait != event::kNoEvent && *use.expected > use.arrivals) {
      warnings.push_back(too_many_expected(graph, use));
      continue;
    }
    const auto demanded = static_cast<std::size_t>((use.arrivals - 1) / *use.expected);
    if (use.arrivals == 0 || demanded == 0 || !use.certain || !event::sync_decisions(graph).empty()) continue;
    if (!phases) phases = all_phases(graph, budget);
    if (phases->empty()) continue;
    const std::size_t observed = least_observed(graph, object, *phases);
    if (observed >= demanded) continue;
    warnings.push_back(place(graph, graph.events[use.first]) + ": more arrivals follow " +
                       std::to_string(demanded) +
                       " of the phases of its object, and a run need observe only " +
                       std::to_string(observed) + "; each must be observed first (9.7.12.15.4)");
  }
  return warnings;
}

std::vector<std::string> exited_lanes(const ProgramGraph& graph) {
  // bar.warp.sync: how often each thread comes there, and where first.
  using Kind = std::tuple<std::uint32_t, int, Value>;  // CTA, warp, mask
  std::map<Kind, std::map<ThreadId, std::pair<std::size_t, EventId>>> meetings;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.kind != EventKind::arrival || !event.barrier) continue;
    if (!event.barrier->warp || event.barrier->exchange) continue;
    const event::ThreadInfo& info = graph.threads[event.thread];
    if (!info.warp || !graph.exprs.is_constant(event.barrier->id)) continue;
    const Kind kind{info.cta, *info.warp, graph.exprs[event.barrier->id].constant};
    ++meetings[kind].try_emplace(event.thread, 0, e).first->second.first;
  }
  std::vector<std::string> warnings;
  for (const auto& [kind, threads] : meetings) {
    const auto [cta, warp, mask] = kind;
    const auto most = std::max_element(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
      return a.second.first < b.second.first;
    });
    for (ThreadId t = 0; t < graph.threads.size(); ++t) {
      const event::ThreadInfo& info = graph.threads[t];
      const bool beside = info.cta == cta && info.warp == warp;
      const auto known = threads.find(t);
      if (!beside || (info.lanes & static_cast<std::uint32_t>(mask)) == 0) continue;
      if (known != threads.end() && known->second.first == most->second.first) continue;
      warnings.push_back(place(graph, graph.events[most->second.second]) +
                         ": its membermask names the lane of P" + std::to_string(info.number) +
                         ", which does not come there as often; one that has exited counts as arrived");
    }
  }
  return warnings;
}

}  // namespace ptxmc::check

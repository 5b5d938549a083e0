// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/barrier_warnings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "axiomatic/event/guards.h"
#include "axiomatic/event/sync_machine.h"

namespace ptxmc::check {
namespace {

using event::Assignment;
using event::Event;
using event::EventId;
using event::EventKind;
using event::MbarrierOp;
using event::ProgramGraph;
using event::ThreadId;
using event::Truth;
using event::Value;

std::string place(const ProgramGraph& graph, const Event& event) {
  return "P" + std::to_string(graph.threads[event.thread].number) + " " +
         line_text(graph.origins, event.position) + " `" + event.text + "`";
}

/// Beyond this many paths nothing is said of phases that no thread observes.
constexpr std::size_t kMostPaths = 64;

/// An operand of an operation on a path; nothing: not known without the values that reads return.
std::optional<Value> number(const ProgramGraph& graph, const Assignment& path,
                            const std::optional<event::Expr>& e, Value absent) {
  return e ? event::evaluate_under(graph.exprs, graph.decisions, *e, path) : absent;
}

/// What a program does to an mbarrier object: on a path, or on all of them together.
struct Use {
  std::optional<Value> expected;  // by its only init
  Value arrivals = 0;
  bool known = true;  // every number is known, nothing renews the object or drops, no path is left out
  EventId first = event::kNoEvent, wait = event::kNoEvent;
};

using Object = std::pair<std::uint32_t, Value>;  // owner, address

Object object_of(const ProgramGraph& graph, const Event& event) {
  return {event.mbarrier->owner, graph.exprs[event.mbarrier->object].constant};
}

void add(const ProgramGraph& graph, const Assignment& path, EventId e, Use& use) {
  const event::Mbarrier& it = *graph.events[e].mbarrier;
  if (use.first == event::kNoEvent) use.first = e;
  switch (it.op) {
    case MbarrierOp::init:
      use.known = use.known && !use.expected && number(graph, path, it.count, 0);
      use.expected = number(graph, path, it.count, 0);
      use.first = e;
      break;
    case MbarrierOp::wait:
      use.wait = e;
      break;
    case MbarrierOp::arrive:
    case MbarrierOp::arrive_drop:
    case MbarrierOp::signal: {
      const auto count = number(graph, path, it.count, it.op == MbarrierOp::signal ? 0 : 1);
      use.known = use.known && count && !it.increments_pending && it.op != MbarrierOp::arrive_drop;
      use.arrivals += count.value_or(0);
      break;
    }
    default:
      break;
  }
}

/// `everywhere`: whatever the path.
std::map<Object, Use> uses_of(const ProgramGraph& graph, const Assignment& path, bool everywhere) {
  std::map<Object, Use> uses;
  for (const event::InitialMbarrier& initial : graph.mbarriers)
    uses[{initial.owner, initial.object}].expected = initial.count;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    const bool operation = event.mbarrier && event.kind != EventKind::issue && event.kind != EventKind::end;
    if (operation && (everywhere || event::evaluate_guard(graph, event.guard, path).value_or(false)))
      add(graph, path, e, uses[object_of(graph, event)]);
  }
  return uses;
}

/// Every way that control flow may take as far as operations on barriers depend on it, apart from those whose
/// conditions exclude each other; none: too many to say anything.
class SyncPaths {
 public:
  explicit SyncPaths(const ProgramGraph& graph) : graph_(graph), decisions_(event::sync_decisions(graph)) {}

  std::vector<Assignment> list() {
    extend(0, Assignment(graph_.decisions.size(), Truth::unset));
    return complete_ ? std::move(paths_) : std::vector<Assignment>{};
  }

 private:
  void extend(std::size_t next, Assignment path) {
    for (; next < decisions_.size(); ++next) {
      const event::Decision& decision = graph_.decisions[decisions_[next]];
      if (event::evaluate_guard(graph_, decision.guard, path).value_or(false)) break;
    }
    if (next < decisions_.size()) {
      for (const Truth truth : {Truth::no, Truth::yes}) {
        path[decisions_[next]] = truth;
        if (complete_ && possible(path, decisions_[next])) extend(next + 1, path);
      }
      return;
    }
    complete_ = paths_.size() < kMostPaths;
    if (complete_) paths_.push_back(std::move(path));
  }

  std::vector<event::Literal> literals(std::uint32_t decision, const Assignment& path) const {
    const event::Expr condition = graph_.decisions[decision].condition;
    if (path[decision] == Truth::no) return {{condition, false}};
    return event::conjuncts(graph_.exprs, condition);
  }

  bool possible(const Assignment& path, std::uint32_t last) const {
    for (const std::uint32_t d : decisions_) {
      if (d >= last) break;
      if (path[d] != Truth::unset && event::exclude_each_other(literals(d, path), literals(last, path)))
        return false;
    }
    return std::none_of(graph_.assumptions.begin(), graph_.assumptions.end(), [&](event::Expr assumption) {
      return event::evaluate_under(graph_.exprs, graph_.decisions, assumption, path) == Value{0};
    });
  }

  const ProgramGraph& graph_;
  const std::vector<std::uint32_t> decisions_;
  std::vector<Assignment> paths_;
  bool complete_ = true;
};

/// Phases of an object that some wait observes, in the value of `phase` that has fewest of them.
std::size_t least_observed(const ProgramGraph& graph, const Object& object,
                           const std::vector<relation::BitMatrix>& phases) {
  std::size_t least = ~std::size_t{0};
  for (const relation::BitMatrix& phase : phases) {
    std::map<EventId, std::set<EventId>> members;  // by wait
    phase.for_each([&](std::size_t arrival, std::size_t wait) {
      const Event& event = graph.events[wait];
      const bool observes = event.kind == EventKind::wait && !phase.test(arrival, arrival);  // else a misuse
      if (observes && event.mbarrier && object_of(graph, event) == object)
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

/// Nothing where they cannot all be listed.
std::vector<relation::BitMatrix> all_phases(const ProgramGraph& graph, const Assignment& path,
                                            const Budget& budget) {
  event::Alternatives phases = event::phase_alternatives(graph, path, event::SyncReductions::all, budget);
  return phases.complete ? std::move(phases.values) : std::vector<relation::BitMatrix>{};
}

/// Objects of whose phases a run on the path need not observe all that more arrivals follow (9.7.12.15.4).
void find_unobserved(const ProgramGraph& graph, const Assignment& path, const Budget& budget,
                     std::map<Object, std::string>& warnings) {
  std::optional<std::vector<relation::BitMatrix>> phases;
  for (const auto& [object, use] : uses_of(graph, path, false)) {
    const bool counted = use.known && use.expected && *use.expected > 0 && use.first != event::kNoEvent;
    if (!counted || use.arrivals == 0 || warnings.contains(object)) continue;
    const auto demanded = static_cast<std::size_t>((use.arrivals - 1) / *use.expected);
    if (demanded == 0) continue;
    if (!phases) phases = all_phases(graph, path, budget);
    if (phases->empty()) return;
    const std::size_t observed = least_observed(graph, object, *phases);
    if (observed >= demanded) continue;
    warnings[object] = place(graph, graph.events[use.first]) + ": more arrivals follow " +
                       std::to_string(demanded) +
                       " of the phases of its object, and a run need observe only " +
                       std::to_string(observed) + "; each must be observed first (9.7.12.15.4)";
  }
}

}  // namespace

std::vector<std::string> mbarrier_warnings(const ProgramGraph& graph, const Budget& budget) {
  std::map<Object, std::string> warnings;
  if (graph.cut) return {};
  const Assignment none(graph.decisions.size(), Truth::unset);
  for (const auto& [object, use] : uses_of(graph, none, true)) {
    if (!use.known || !use.expected || *use.expected <= 0 || use.wait == event::kNoEvent) continue;
    if (*use.expected > use.arrivals) warnings[object] = too_many_expected(graph, use);
  }
  try {
    for (const Assignment& path : SyncPaths(graph).list()) find_unobserved(graph, path, budget, warnings);
  } catch (const OutOfTime&) {  // what there is no time to find out is no warning
  }
  std::vector<std::string> out;
  for (auto& [object, warning] : warnings) out.push_back(std::move(warning));
  return out;
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

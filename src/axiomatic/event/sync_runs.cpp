// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/sync_runs.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "axiomatic/event/sync_steps.h"
#include "axiomatic/event/sync_table.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;

/// A run that ends in the given value of `phase`; looked for depth first.
class Replay {
 public:
  Replay(const SyncPath& path, const BitMatrix& phase, std::vector<SyncProcess> processes,
         const Budget& budget)
      : path_(path),
        phase_(phase),
        system_(path, std::move(processes)),
        steps_(system_, SyncReductions::all),
        budget_(budget) {}

  std::vector<StuckPhase> run() {
    reach(system_.start());
    return std::move(stuck_);
  }

 private:
  bool reach(const SyncState& state) {
    if (!seen_.add(state).second) return false;
    budget_.check();
    if (system_.finished(state)) {
      note(state);
      return true;
    }
    std::vector<std::size_t> next;
    steps_.of(state, next);
    for (const std::size_t p : next) {
      SyncState after = state;
      const SyncStep step = system_.step(after, p);
      if (!step.impossible && !step.misuse && fits(step) && reach(after)) return true;
    }
    return false;
  }

  bool fits(const SyncStep& step) const {
    return std::all_of(step.observed.begin(), step.observed.end(), [&](const auto& observed) {
      const PhaseMembers& members = system_.members(observed.first);
      if (!members.empty() && path_.operations[members.front()].exchange) return true;
      std::size_t met = 0;
      for (std::size_t e = 0; e < phase_.size(); ++e) met += phase_.test(e, observed.second);
      return met == members.size() && std::all_of(members.begin(), members.end(), [&](OperationId o) {
               return phase_.test(path_.operations[o].event, observed.second);
             });
    });
  }

  void note(const SyncState& state) {
    for (std::size_t p = 0; p < system_.processes().size(); ++p) {
      const OperationId id = system_.at(state, p);
      if (id == kNoOperation || path_.operations[id].kind == SyncKind::barrier) continue;
      const SyncOperation& op = path_.operations[id];
      const SyncState::Object& object = state.objects[op.object];
      stuck_.push_back({op.event, object.phase, object.pending, object.tx});
    }
  }

  const SyncPath& path_;
  const BitMatrix& phase_;
  const SyncSystem system_;
  SyncSteps steps_;
  const Budget& budget_;
  SyncTable seen_;
  std::vector<StuckPhase> stuck_;
};

/// A thread waits forever for an mbarrier or a cluster barrier.
bool some_phase_blocks(const SyncPath& path, const std::vector<SyncProcess>& processes) {
  return std::any_of(processes.begin(), processes.end(), [&](const SyncProcess& process) {
    return std::any_of(process.program.begin(), process.program.end(), [&](OperationId o) {
      return path.operations[o].blocked && path.operations[o].kind != SyncKind::barrier;
    });
  });
}

/// Where everybody passes, the reductions mostly leave one state an operation.
constexpr std::size_t kMostToPass = 20000;

/// Tells the states in which no thread can go on, each once, until `end` says false; none is left out for
/// others, as the reductions keep every such state, and every misuse. False: it did, or some run misuses an
/// object, or there are many states.
bool every_end(const SyncSystem& system, SyncReductions reductions, const Budget& budget,
               const std::function<bool(const SyncState&)>& end) {
  SyncSteps steps(system, reductions);
  SyncTable seen;
  seen.add(system.start());
  std::vector<SyncState> open{system.start()};
  std::vector<std::size_t> next;
  while (!open.empty()) {
    budget.check();
    const SyncState state = std::move(open.back());
    open.pop_back();
    steps.of(state, next);
    if (next.empty() && !end(state)) return false;
    for (const std::size_t p : next) {
      SyncState after = state;
      const SyncStep step = system.step(after, p);
      if (step.impossible || step.misuse || seen.size() > kMostToPass) return false;
      if (reductions == SyncReductions::all) system.normalise(after);
      if (seen.add(after).second) open.push_back(std::move(after));
    }
  }
  return true;
}

/// The state in which every run ends; nothing: there are several, or none is known.
std::optional<SyncState> only_end(const SyncSystem& system, const Budget& budget) {
  std::optional<SyncState> only;
  const auto first = [&](const SyncState& state) {
    if (only) return false;
    only = state;
    return true;
  };
  return every_end(system, SyncReductions::all, budget, first) ? only : std::nullopt;
}

}  // namespace

std::vector<std::optional<EventId>> always_stays(const ProgramGraph& graph, const Assignment& assignment,
                                                 const Budget& budget) {
  const auto path = sync_path(graph, assignment);
  std::vector<std::optional<EventId>> result(graph.threads.size());
  if (!path) return result;
  std::fill(result.begin(), result.end(), kNoEvent);  // who takes part in nothing
  for (auto& processes : sync_components(*path)) {
    const SyncSystem system(*path, std::move(processes));
    const std::optional<SyncState> end = only_end(system, budget);
    for (std::size_t p = 0; p < system.processes().size(); ++p) {
      const ThreadId thread = system.processes()[p].thread;
      if (thread == kNoThread) continue;
      const OperationId at = end ? system.at(*end, p) : kNoOperation;
      const bool barrier = at != kNoOperation && (path->operations[at].kind == SyncKind::barrier ||
                                                  path->operations[at].kind == SyncKind::cluster_wait);
      if (!end || (at != kNoOperation && !barrier)) {
        result[thread] = std::nullopt;
      } else if (barrier) {
        result[thread] = path->operations[at].event;
      }
    }
  }
  return result;
}

std::vector<bool> always_pass(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget,
                              SyncReductions reductions) {
  const auto path = sync_path(graph, assignment);
  std::vector<bool> pass(graph.threads.size(), path.has_value());
  if (!path) return pass;
  for (auto& processes : sync_components(*path, reductions)) {
    std::vector<ThreadId> threads;
    for (const SyncProcess& process : processes) {
      if (process.thread != kNoThread) threads.push_back(process.thread);
    }
    const SyncSystem system(*path, std::move(processes));
    const auto passes = [&](const SyncState& state) { return system.finished(state); };
    if (every_end(system, reductions, budget, passes)) continue;
    for (const ThreadId t : threads) pass[t] = false;
  }
  return pass;
}

std::vector<StuckPhase> stuck_phases(const ProgramGraph& graph, const Assignment& assignment,
                                     const BitMatrix& phase, const Budget& budget) {
  const auto path = sync_path(graph, assignment);
  PTXMC_CHECK(path.has_value(), "an execution whose barriers contradict each other");
  std::vector<StuckPhase> result;
  for (auto& processes : sync_components(*path)) {
    if (!some_phase_blocks(*path, processes)) continue;
    for (StuckPhase& stuck : Replay(*path, phase, std::move(processes), budget).run())
      result.push_back(stuck);
  }
  return result;
}

}  // namespace ptxmc::event

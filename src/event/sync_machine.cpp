// SPDX-License-Identifier: Apache-2.0
// The phase machine: which arrivals and completion signals can meet which waits (9.7.12.1 to 9.7.12.3,
// 9.7.12.15; readings D6, D7, D23).
//
// An assignment of phases is possible iff one interleaving of all synchronization operations, issues and
// completion signals produces it: program order per thread, a signal any time after its issue, a wait when
// its phase is complete (sync_state.cpp has the steps). A run in which somebody is stuck is a hang and no
// execution, unless the path says that just these threads wait for ever (liveness).
//
// The outcomes that are possible from a state depend on the state alone, so they are memoised per state. Most
// steps commute with whatever the others may do before them: such a step is taken alone (a persistent set of
// one, sync_reach.cpp). A correct ring of buffers and plain lockstep therefore cost one state per operation;
// branching remains where arrivals compete for a phase, or a phase may go by while somebody waits for it.
// Threads that share no object are explored apart and their results combined. Worst case exponential in
// competing steps, capped: beyond so many states each that is still open gets one outcome, if one is
// found soon, and the result is incomplete.
#include "event/sync_machine.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "event/sync_reach.h"
#include "event/sync_state.h"
#include "event/sync_table.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;
using PhaseId = std::uint32_t;
/// Waits with the members of the phases that they observed, ascending; and what went wrong at the end.
struct Outcome {
  std::vector<std::pair<EventId, PhaseId>> observed;
  std::optional<SyncMisuse> misuse;
  OperationId misused = kNoOperation;
  OperationId cause = kNoOperation;
  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};
using Outcomes = std::set<Outcome>;

/// Which processes' next steps must be tried in a state: one that commutes with all others, else all. A step that ends
/// the run would hide what others do wrong.
class Steps {
 public:
  Steps(const SyncSystem& system, SyncReductions reductions)
      : system_(system), reductions_(reductions), reach_(system) {}

  void of(const SyncState& state, std::vector<std::size_t>& out) {
    out.clear();
    for (std::size_t p = 0; p < system_.processes().size(); ++p) {
      if (system_.enabled(state, p)) out.push_back(p);
    }
    if (out.size() < 2 || reductions_ == SyncReductions::none) return;
    for (const std::size_t p : out) {
      if (!reach_.independent(state, p)) continue;
      after_ = state;
      if (system_.step(after_, p).misuse) continue;
      out = {p};
      return;
    }
  }

 private:
  const SyncSystem& system_;
  const SyncReductions reductions_;
  SyncReach reach_;
  SyncState after_;
};

class Machine {
 public:
  Machine(const SyncPath& path, std::vector<SyncProcess> processes, SyncReductions reductions,
          const Budget& budget, std::size_t most_states)
      : path_(path),
        system_(path, std::move(processes)),
        reductions_(reductions),
        steps_(system_, reductions),
        budget_(budget),
        most_states_(most_states) {}

  const Outcomes& run() { return outcomes_[future(system_.start(), 0)]; }
  /// False: there may be other outcomes.
  bool complete() const { return complete_; }

  void add_edges(const Outcome& outcome, bool exchanges, BitMatrix& matrix) const {
    for (const auto& [wait, phase] : outcome.observed) {
      const PhaseMembers& members = system_.members(phases_[phase]);
      if (!exchanges && !members.empty() && path_.operations[members.front()].exchange) continue;
      for (const OperationId member : members) matrix.set(path_.operations[member].event, wait);
    }
    if (!outcome.misuse) return;
    const EventId event = path_.operations[outcome.misused].event;
    const bool caused = outcome.cause != kNoOperation;
    matrix.set(caused ? path_.operations[outcome.cause].event : event, event);
  }

 private:
  /// What a level of the search works with, kept for the next time that it gets there.
  struct Level {
    std::vector<std::size_t> steps;
    SyncState after;
  };

  /// The number of a state, whose outcomes are known then. A step leads to no earlier state.
  std::size_t future(const SyncState& state, std::size_t depth) {
    const auto [number, fresh] = memo_.add(state);
    if (!fresh) return number;
    outcomes_.emplace_back();
    budget_.check();
    Outcomes outcomes;
    if (system_.finished(state)) outcomes.insert(Outcome{});
    if (levels_.size() == depth) levels_.emplace_back();
    Level& level = levels_[depth];
    steps_.of(state, level.steps);
    for (const std::size_t p : level.steps) {
      if (stored_ > 2 * most_states_ || (stored_ > most_states_ && !outcomes.empty())) {
        complete_ = false;
        break;
      }
      take(state, p, level.after, depth, outcomes);
    }
    stored_ += outcomes.size() + 1;
    outcomes_[number] = std::move(outcomes);
    return number;
  }

  /// Adds what is possible once p has taken its next step.
  void take(const SyncState& state, std::size_t p, SyncState& after, std::size_t depth, Outcomes& outcomes) {
    after = state;
    const OperationId operation = system_.at(state, p);
    const SyncStep step = system_.step(after, p);
    if (step.impossible) return;
    if (step.misuse) {
      // A path on which somebody waits for ever is about that.
      if (!path_.some_blocked) outcomes.insert({{}, step.misuse, operation, step.cause});
      return;
    }
    if (reductions_ == SyncReductions::all) system_.normalise(after);
    std::vector<std::pair<EventId, PhaseId>> observed;
    for (const auto& [members, wait] : step.observed) {
      if (members != PhaseSets::kEmpty) observed.emplace_back(wait, phase_id(members));
    }
    for (const Outcome& rest : outcomes_[future(after, depth + 1)]) {
      if (outcomes.size() >= kMaxPhaseAlternatives) {
        complete_ = false;
        return;
      }
      if (observed.empty()) {
        outcomes.insert(rest);
        continue;
      }
      Outcome whole = rest;
      whole.observed.insert(whole.observed.end(), observed.begin(), observed.end());
      std::sort(whole.observed.begin(), whole.observed.end());
      outcomes.insert(std::move(whole));
    }
  }

  // Phases are numbered as they are first observed.
  PhaseId phase_id(PhaseSets::Id members) {
    const auto [place, fresh] = phase_ids_.try_emplace(members, static_cast<PhaseId>(phases_.size()));
    if (fresh) phases_.push_back(members);
    return place->second;
  }

  const SyncPath& path_;
  const SyncSystem system_;
  const SyncReductions reductions_;
  Steps steps_;
  const Budget& budget_;
  const std::size_t most_states_;
  std::unordered_map<PhaseSets::Id, PhaseId> phase_ids_;
  std::vector<PhaseSets::Id> phases_;
  SyncTable memo_;
  std::deque<Outcomes> outcomes_;  // by number of the state
  std::deque<Level> levels_;
  std::size_t stored_ = 0;  // states and outcomes in memo_
  bool complete_ = true;
};

/// Threads and their signals, by groups that share no object, or all together; each group's threads first,
/// ascending.
std::vector<std::vector<SyncProcess>> components(const SyncPath& path,
                                                 SyncReductions reductions = SyncReductions::all) {
  std::vector<std::size_t> root(path.ends.size() + path.objects.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto node = [&](ObjectId object) { return path.ends.size() + object; };
  for (std::size_t i = 1; reductions == SyncReductions::none && i < root.size(); ++i) root[i] = 0;
  std::vector<char> involved(path.ends.size(), 0);
  for (ObjectId o = 0; o < path.objects.size(); ++o) {
    for (const ThreadId t : path.objects[o].participants) {
      involved[t] = 1;
      root[find(t)] = find(node(o));
    }
  }
  for (const SyncOperation& op : path.operations) {
    involved[op.thread] = 1;
    if (op.object != kNoObject) root[find(op.thread)] = find(node(op.object));
  }
  std::map<std::size_t, std::vector<SyncProcess>> groups;
  std::vector<std::pair<std::size_t, std::size_t>> place(path.ends.size());
  for (ThreadId t = 0; t < path.ends.size(); ++t) {
    if (involved[t] == 0) continue;
    auto& group = groups[find(t)];
    place[t] = {find(t), group.size()};
    group.push_back({t, {}});
  }
  for (OperationId o = 0; o < path.operations.size(); ++o) {
    const SyncOperation& op = path.operations[o];
    if (op.issued != kNoOperation) {
      groups[place[op.thread].first].push_back({kNoThread, {o}});
    } else {
      groups[place[op.thread].first][place[op.thread].second].program.push_back(o);
    }
  }
  std::vector<std::vector<SyncProcess>> result;
  result.reserve(groups.size());
  for (auto& group : groups) result.push_back(std::move(group.second));
  return result;
}

struct Alternative {
  BitMatrix phase;
  std::optional<std::pair<EventId, SyncMisuse>> misuse;
};

struct Enumeration {
  std::vector<Alternative> values;
  bool complete = true;
};

/// Each of `known` with each outcome of a machine.
std::vector<Alternative> combine(const std::vector<Alternative>& known, const SyncPath& path,
                                 const Machine& machine, const Outcomes& outcomes, bool exchanges,
                                 const Budget& budget) {
  std::vector<Alternative> combined;
  for (const Alternative& one : known) {
    budget.check();
    for (const Outcome& outcome : outcomes) {
      if (combined.size() == kMaxPhaseAlternatives) return combined;
      combined.push_back(one);
      machine.add_edges(outcome, exchanges, combined.back().phase);
      if (outcome.misuse && !one.misuse) {
        combined.back().misuse.emplace(path.operations[outcome.misused].event, *outcome.misuse);
      }
    }
  }
  return combined;
}

Enumeration enumerate(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget,
                      bool exchanges = false, SyncReductions reductions = SyncReductions::all,
                      std::size_t most_states = kMaxPhaseStates) {
  const auto path = sync_path(graph, assignment);
  if (!path) return {};
  Enumeration result{{{BitMatrix(graph.size()), std::nullopt}}};
  if (path->operations.empty()) return result;
  for (auto& processes : components(*path, reductions)) {
    Machine machine(*path, std::move(processes), reductions, budget, most_states);
    const Outcomes& outcomes = machine.run();
    const std::size_t all = result.values.size() * outcomes.size();
    result.values = combine(result.values, *path, machine, outcomes, exchanges, budget);
    result.complete = result.complete && machine.complete() && result.values.size() == all;
  }
  return result;
}

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
  Steps steps_;
  const Budget& budget_;
  SyncTable seen_;
  std::vector<StuckPhase> stuck_;
};

/// Somebody waits for ever for an mbarrier or a cluster barrier.
bool some_phase_blocks(const SyncPath& path, const std::vector<SyncProcess>& processes) {
  return std::any_of(processes.begin(), processes.end(), [&](const SyncProcess& process) {
    return std::any_of(process.program.begin(), process.program.end(), [&](OperationId o) {
      return path.operations[o].blocked && path.operations[o].kind != SyncKind::barrier;
    });
  });
}

/// Where everybody passes, the reductions mostly leave one state an operation.
constexpr std::size_t kMostToPass = kMaxPhaseStates / 10;

/// Whether some run of these processes does not end well; none that is left out for others does either, as the
/// reductions keep every state in which nobody can go on, and every misuse.
bool some_run_stays(const SyncPath& path, std::vector<SyncProcess> processes, const Budget& budget,
                    SyncReductions reductions) {
  const SyncSystem system(path, std::move(processes));
  Steps steps(system, reductions);
  SyncTable seen;
  seen.add(system.start());
  std::vector<SyncState> open{system.start()};
  while (!open.empty()) {
    budget.check();
    const SyncState state = std::move(open.back());
    open.pop_back();
    std::vector<std::size_t> next;
    steps.of(state, next);
    if (next.empty() && !system.finished(state)) return true;
    for (const std::size_t p : next) {
      SyncState after = state;
      const SyncStep step = system.step(after, p);
      if (step.impossible || step.misuse || seen.size() > kMostToPass) return true;
      if (reductions == SyncReductions::all) system.normalise(after);
      if (seen.add(after).second) open.push_back(std::move(after));
    }
  }
  return false;
}

/// The state in which every run ends; nothing: there are several, or a misuse, or many states on the way.
std::optional<SyncState> only_end(const SyncSystem& system, const Budget& budget) {
  std::set<SyncState> seen{system.start()}, ends;
  std::vector<SyncState> open{system.start()};
  Steps steps(system, SyncReductions::all);
  std::vector<std::size_t> next;
  while (!open.empty()) {
    budget.check();
    const SyncState state = std::move(open.back());
    open.pop_back();
    steps.of(state, next);
    if (next.empty()) ends.insert(state);
    for (const std::size_t p : next) {
      SyncState after = state;
      const SyncStep step = system.step(after, p);
      if (step.impossible || step.misuse || seen.size() > kMostToPass) return std::nullopt;
      system.normalise(after);
      if (seen.insert(after).second) open.push_back(std::move(after));
    }
  }
  return ends.size() == 1 ? std::optional(*ends.begin()) : std::nullopt;
}

}  // namespace

std::vector<std::optional<EventId>> always_stays(const ProgramGraph& graph, const Assignment& assignment,
                                                 const Budget& budget) {
  const auto path = sync_path(graph, assignment);
  std::vector<std::optional<EventId>> result(graph.threads.size());
  if (!path) return result;
  std::fill(result.begin(), result.end(), kNoEvent);  // who takes part in nothing
  for (auto& processes : components(*path)) {
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
  for (auto& processes : components(*path, reductions)) {
    std::vector<ThreadId> threads;
    for (const SyncProcess& process : processes) {
      if (process.thread != kNoThread) threads.push_back(process.thread);
    }
    if (!some_run_stays(*path, std::move(processes), budget, reductions)) continue;
    for (const ThreadId t : threads) pass[t] = false;
  }
  return pass;
}

Alternatives phase_alternatives(const ProgramGraph& graph, const Assignment& assignment,
                                SyncReductions reductions, const Budget& budget, std::size_t most_states) {
  Enumeration all = enumerate(graph, assignment, budget, false, reductions, most_states);
  Alternatives result{{}, all.complete};
  for (Alternative& alternative : all.values) result.values.push_back(std::move(alternative.phase));
  return result;
}

Alternatives meetings(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget) {
  Enumeration all = enumerate(graph, assignment, budget, true);
  Alternatives result{{}, all.complete};
  for (Alternative& alternative : all.values) {
    if (!alternative.misuse) result.values.push_back(std::move(alternative.phase));
  }
  return result;
}

// A few runs tell as a rule, where there are more than can be listed.
std::optional<std::pair<EventId, SyncMisuse>> phase_misuse(const ProgramGraph& graph,
                                                           const Assignment& assignment,
                                                           const BitMatrix& phase, const Budget& budget) {
  for (const std::size_t most : {kFewPhaseStates, kMaxPhaseStates}) {
    const Enumeration some = enumerate(graph, assignment, budget, false, SyncReductions::all, most);
    for (const Alternative& alternative : some.values) {
      if (alternative.misuse && alternative.phase == phase) return alternative.misuse;
    }
    if (some.complete) break;
  }
  return std::nullopt;
}

bool may_misuse(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget) {
  for (const std::size_t most : {kFewPhaseStates, kMaxPhaseStates}) {
    const Enumeration some = enumerate(graph, assignment, budget, false, SyncReductions::all, most);
    const auto misused = [](const Alternative& one) { return one.misuse.has_value(); };
    if (std::any_of(some.values.begin(), some.values.end(), misused)) return true;
    if (some.complete) return false;
  }
  return true;
}

std::vector<StuckPhase> stuck_phases(const ProgramGraph& graph, const Assignment& assignment,
                                     const BitMatrix& phase, const Budget& budget) {
  const auto path = sync_path(graph, assignment);
  PTXMC_CHECK(path.has_value(), "an execution whose barriers contradict each other");
  std::vector<StuckPhase> result;
  for (auto& processes : components(*path)) {
    if (!some_phase_blocks(*path, processes)) continue;
    for (StuckPhase& stuck : Replay(*path, phase, std::move(processes), budget).run())
      result.push_back(stuck);
  }
  return result;
}

}  // namespace ptxmc::event

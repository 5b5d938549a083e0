// SPDX-License-Identifier: Apache-2.0
// The phase machine: which arrivals and completion signals can meet which waits (9.7.12.1 to 9.7.12.3,
// 9.7.12.15; readings D6, D7, D23).
//
// An assignment of phases is possible iff one interleaving of all synchronization operations, issues and
// completion signals produces it: program order per thread, a signal any time after its issue, a wait when
// its phase is complete (sync_state.cpp has the steps). A run in which a thread is stuck is a hang and no
// execution, unless the path says that just these threads wait forever (liveness).
//
// The outcomes that are possible from a state depend on the state alone, so they are memoised per state. Most
// steps commute with whatever the others may do before them: such a step is taken alone (a persistent set of
// one, sync_reach.cpp). A correct ring of buffers and plain lockstep therefore cost one state per operation;
// branching remains where arrivals compete for a phase, or a phase may go by while a thread waits for it.
// Threads that share no object are explored apart and their results combined. Worst case exponential in
// competing steps, capped: beyond so many states each that is still open gets one outcome, if one is
// found soon, and the result is incomplete.
#include "axiomatic/event/sync_machine.h"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <unordered_map>

#include "axiomatic/event/sync_steps.h"
#include "axiomatic/event/sync_table.h"

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
  // With a misuse, ascending: what has arrived before in the phase, and waits of other threads that have not ended.
  std::vector<EventId> arrived, left;
  friend auto operator<=>(const Outcome&, const Outcome&) = default;
};
using Outcomes = std::set<Outcome>;

/// But for the waits that are left.
bool are_alike(const Outcome& a, const Outcome& b) {
  return std::tie(a.observed, a.misuse, a.misused, a.cause, a.arrived) ==
         std::tie(b.observed, b.misuse, b.misused, b.cause, b.arrived);
}

/// Erases misuses that another one is like, but for waits that have ended there: it may come after these, too. Those that are alike
/// stand side by side.
void erase_earlier(Outcomes& all) {
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const Outcome& one) { return !are_alike(*begin, one); });
    const std::vector<Outcome> group(begin, begin->misuse ? end : begin);
    for (const Outcome& one : group) {
      const bool earlier = std::any_of(group.begin(), group.end(), [&](const Outcome& other) {
        return other.left.size() < one.left.size() &&
               std::includes(one.left.begin(), one.left.end(), other.left.begin(), other.left.end());
      });
      if (earlier) all.erase(one);
    }
    begin = end;
  }
}

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

  const Outcomes& run() {
    Outcomes& all = outcomes_[future(system_.start(), 0)];
    erase_earlier(all);
    return all;
  }
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
    if (exchanges) return;
    for (const EventId before : outcome.arrived) matrix.set(before, event);
    for (const EventId wait : outcome.left) matrix.set(event, wait);
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
      // A path on which a thread waits forever is about that.
      if (!path_.some_blocked)
        outcomes.insert({{},
                         step.misuse,
                         operation,
                         step.cause,
                         system_.arrived_before(state, p),
                         system_.waits_left(state, p)});
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
  SyncSteps steps_;
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
  for (auto& processes : sync_components(*path, reductions)) {
    Machine machine(*path, std::move(processes), reductions, budget, most_states);
    const Outcomes& outcomes = machine.run();
    const std::size_t all = result.values.size() * outcomes.size();
    result.values = combine(result.values, *path, machine, outcomes, exchanges, budget);
    result.complete = result.complete && machine.complete() && result.values.size() == all;
  }
  return result;
}

}  // namespace

Alternatives phase_alternatives(const ProgramGraph& graph, const Assignment& assignment,
                                SyncReductions reductions, const Budget& budget, std::size_t most_states) {
  Enumeration all = enumerate(graph, assignment, budget, false, reductions, most_states);
  Alternatives result{{}, all.complete};
  for (Alternative& alternative : all.values) result.values.push_back(std::move(alternative.phase));
  return result;
}

Rendezvous meetings(const ProgramGraph& graph, const Assignment& assignment, const Budget& budget) {
  Enumeration all = enumerate(graph, assignment, budget, true);
  Rendezvous result{{}, {}, all.complete};
  for (Alternative& alternative : all.values)
    (alternative.misuse ? result.misuses : result.runs).push_back(std::move(alternative.phase));
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

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// The barrier phase machine: which arrivals can meet which waits (9.7.12.1; reading D7).
//
// A state holds, per thread, the next barrier operation and whether it waits; per barrier, the arrivals of
// the current phase. An arrival joins the current phase; a sync or red then blocks. A phase completes when it
// has as many arrivals as the count of its first arrival says or, without a count, when every participant has
// arrived or exited (R180); completion releases the waiting threads and empties the barrier (R165). A run
// that ends with a blocked thread is a hang and no execution, unless the path says that just these threads
// are blocked (liveness). A thread that never ends (it waits somewhere) does not exit. Arrivals left over in
// an incomplete phase do no harm.
//
// The set of ways to complete phases from a state depends on the state alone, so results are memoised per
// state. Most arrivals commute: an arrival without which the current phase cannot complete belongs to that
// phase in every run, and is explored alone (a persistent set of one). Plain lockstep therefore costs one
// state per operation; branching remains where more arrivals compete for a phase than fit. Threads that share
// no barrier are explored apart and their results combined. Worst case exponential in competing arrivals,
// capped.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "event/barriers.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;
using OperationId = std::uint32_t;
using Group = std::vector<OperationId>;  // arrivals of one completed phase, ascending
using GroupId = std::uint32_t;
using Outcome = std::vector<GroupId>;  // the completed phases that somebody waited for, ascending
using Outcomes = std::set<Outcome>;

struct ThreadState {
  std::uint32_t next = 0;
  bool waiting = false;
  bool exited = false;
  friend auto operator<=>(const ThreadState&, const ThreadState&) = default;
};

struct PhaseState {
  Group arrived;
  std::optional<Value> expected;  // of the first arrival; meaningless while nobody has arrived
  friend auto operator<=>(const PhaseState&, const PhaseState&) = default;
};

struct State {
  std::vector<ThreadState> threads;
  std::vector<PhaseState> phases;
  friend auto operator<=>(const State&, const State&) = default;
};

/// One set of threads that are connected by barriers.
class Machine {
 public:
  Machine(const ProgramGraph& graph, const BarrierPath& path, std::vector<ThreadId> threads)
      : graph_(graph), path_(path), threads_(std::move(threads)), objects_(path.objects.size()) {
    for (const ThreadId t : threads_) {
      program_.emplace_back();
      for (OperationId o = 0; o < path.operations.size(); ++o) {
        if (path.operations[o].thread == t) program_.back().push_back(o);
      }
    }
    classify();
  }

  const Outcomes& run() {
    State start;
    start.threads.resize(threads_.size());
    start.phases.resize(path_.objects.size());
    return future(start);
  }

  /// Adds the edges of an outcome: each arrival of a phase to each wait of it.
  void add_edges(const Outcome& outcome, BitMatrix& matrix) const {
    for (const GroupId id : outcome) {
      for (const OperationId a : *groups_[id]) {
        for (const OperationId w : *groups_[id]) {
          if (operation(w).wait != kNoEvent) matrix.set(operation(a).arrival, operation(w).wait);
        }
      }
    }
  }

 private:
  struct Traits {
    bool uniform = true;         // all operations say the same count, or none does
    bool all_wait = true;        // no arrive without a wait
    bool waits_for_all = false;  // some operation has no count
  };

  const BarrierOperation& operation(OperationId o) const { return path_.operations[o]; }
  bool at_end(const State& state, std::size_t t) const { return state.threads[t].next == program_[t].size(); }

  /// The operation that t is at never completes on this path.
  bool blocked(const State& state, std::size_t t) const {
    return !at_end(state, t) && operation(program_[t][state.threads[t].next]).blocked;
  }

  void classify() {
    std::vector<const BarrierOperation*> first(path_.objects.size(), nullptr);
    for (const auto& list : program_) {
      for (const OperationId o : list) {
        const BarrierOperation& op = operation(o);
        if (first[op.object] && first[op.object]->count != op.count) objects_[op.object].uniform = false;
        if (!first[op.object]) first[op.object] = &op;
        if (!op.count) objects_[op.object].waits_for_all = true;
        some_blocked_ = some_blocked_ || op.blocked;
        if (op.wait == kNoEvent) objects_[op.object].all_wait = false;
      }
    }
    for (const Traits& o : objects_) {
      if (o.waits_for_all && !(o.uniform && o.all_wait)) exits_commute_ = false;
    }
  }

  const Outcomes& future(const State& state) {
    if (const auto known = memo_.find(state); known != memo_.end()) return known->second;
    Outcomes outcomes;
    if (finished(state)) {
      outcomes.insert(Outcome{});
    } else {
      for (const std::size_t t : moves(state)) {
        State after = state;
        bool released = false;
        const Outcome completed = move(after, t, released);
        if (released) continue;
        for (const Outcome& rest : future(after)) {
          Outcome whole = rest;
          whole.insert(whole.end(), completed.begin(), completed.end());
          std::sort(whole.begin(), whole.end());
          outcomes.insert(std::move(whole));
        }
      }
    }
    stored_ += outcomes.size() + 1;
    if (outcomes.size() > kMaxBarrierAlternatives || stored_ > kMaxBarrierStates) {
      too_many_barrier_alternatives(graph_, path_);
    }
    return memo_.emplace(state, std::move(outcomes)).first->second;
  }

  bool finished(const State& state) const {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (!at_end(state, t) && !(state.threads[t].waiting && blocked(state, t))) return false;
      if (at_end(state, t) && path_.ends[threads_[t]] && !state.threads[t].exited && some_blocked_)
        return false;
    }
    return true;
  }

  /// Threads whose next move must be tried here: one that commutes with all others, else all that can move.
  std::vector<std::size_t> moves(const State& state) const {
    std::vector<std::size_t> enabled;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const ThreadState& thread = state.threads[t];
      if (thread.waiting || thread.exited || (at_end(state, t) && !path_.ends[threads_[t]])) continue;
      if (at_end(state, t) ? exits_commute_ : must_join(state, t)) return {t};
      enabled.push_back(t);
    }
    return enabled;
  }

  /// The phase that thread t would join cannot complete without it.
  bool must_join(const State& state, std::size_t t) const {
    const BarrierOperation& op = operation(program_[t][state.threads[t].next]);
    const PhaseState& phase = state.phases[op.object];
    if (!objects_[op.object].uniform) return false;
    if (!op.count) return objects_[op.object].all_wait;  // so each participant arrives once a phase
    std::size_t others = phase.arrived.size();
    for (std::size_t u = 0; u < threads_.size(); ++u) {
      if (u != t) others += possible_arrivals(state, u, op.object);
    }
    return static_cast<Value>(others) < *op.count;
  }

  bool arrived(const PhaseState& phase, ThreadId thread) const {
    return std::any_of(phase.arrived.begin(), phase.arrived.end(),
                       [&](OperationId o) { return operation(o).thread == thread; });
  }

  /// How often thread u can still arrive at `object` before it waits there.
  std::size_t possible_arrivals(const State& state, std::size_t u, std::uint32_t object) const {
    std::size_t count = 0;
    std::size_t next = state.threads[u].next;
    if (state.threads[u].waiting && operation(program_[u][next++]).object == object) return 0;
    for (; next < program_[u].size(); ++next) {
      const BarrierOperation& op = operation(program_[u][next]);
      if (op.object != object) continue;
      ++count;
      if (op.wait != kNoEvent) break;
    }
    return count;
  }

  /// Performs the next operation, or the exit, of t; returns the phases completed that have a waiter.
  /// `released`: one was to wait for ever, so this run is another path's.
  Outcome move(State& state, std::size_t t, bool& released) {
    Outcome completed;
    ThreadState& thread = state.threads[t];
    if (at_end(state, t)) {
      thread.exited = true;
      for (std::uint32_t o = 0; o < path_.objects.size(); ++o) complete(state, o, completed, released);
      return completed;
    }
    const OperationId id = program_[t][thread.next];
    const BarrierOperation& op = operation(id);
    PhaseState& phase = state.phases[op.object];
    if (phase.arrived.empty()) phase.expected = op.count;
    phase.arrived.insert(std::upper_bound(phase.arrived.begin(), phase.arrived.end(), id), id);
    if (op.wait != kNoEvent) {
      thread.waiting = true;
    } else {
      ++thread.next;
    }
    complete(state, op.object, completed, released);
    return completed;
  }

  /// Completes the current phase of object o if it is full.
  void complete(State& state, std::uint32_t o, Outcome& completed, bool& released) {
    PhaseState& phase = state.phases[o];
    if (phase.arrived.empty() || !full(state, o)) return;
    bool somebody_waits = false;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      ThreadState& thread = state.threads[t];
      if (!thread.waiting || operation(program_[t][thread.next]).object != o) continue;
      released = released || blocked(state, t);
      thread.waiting = false;
      ++thread.next;
      somebody_waits = true;
    }
    if (somebody_waits) completed.push_back(group_id(phase.arrived));
    phase = PhaseState{};
  }

  GroupId group_id(const Group& group) {
    const auto [place, fresh] = group_ids_.try_emplace(group, static_cast<GroupId>(groups_.size()));
    if (fresh) groups_.push_back(&place->first);
    return place->second;
  }

  bool full(const State& state, std::uint32_t o) const {
    const PhaseState& phase = state.phases[o];
    if (phase.expected)
      return *phase.expected > 0 && static_cast<Value>(phase.arrived.size()) >= *phase.expected;
    const auto& participants = path_.objects[o].participants;
    return std::all_of(participants.begin(), participants.end(), [&](ThreadId p) {
      const auto t = std::lower_bound(threads_.begin(), threads_.end(), p) - threads_.begin();
      return state.threads[t].exited || arrived(phase, p);
    });
  }

  const ProgramGraph& graph_;
  const BarrierPath& path_;
  std::vector<ThreadId> threads_;                  // ascending
  std::vector<std::vector<OperationId>> program_;  // per thread of threads_
  std::vector<Traits> objects_;
  bool exits_commute_ = true;
  bool some_blocked_ = false;
  std::map<Group, GroupId> group_ids_;
  std::vector<const Group*> groups_;
  std::map<State, Outcomes> memo_;
  std::size_t stored_ = 0;  // states and outcomes in memo_
};

/// Groups of threads that participate in common barriers, each ascending.
std::vector<std::vector<ThreadId>> components(const ProgramGraph& graph, const BarrierPath& path) {
  std::vector<ThreadId> root(graph.threads.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](ThreadId t) {
    while (root[t] != t) t = root[t] = root[root[t]];
    return t;
  };
  for (const BarrierObject& object : path.objects) {
    for (const ThreadId t : object.participants) root[find(t)] = find(object.participants.front());
  }
  std::map<ThreadId, std::vector<ThreadId>> groups;
  for (const BarrierObject& object : path.objects) {
    for (const ThreadId t : object.participants) groups[find(t)].push_back(t);
  }
  std::vector<std::vector<ThreadId>> result;
  for (auto& [first, members] : groups) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    result.push_back(std::move(members));
  }
  return result;
}

}  // namespace

std::vector<BitMatrix> phase_alternatives(const ProgramGraph& graph, const Assignment& assignment) {
  const auto path = barrier_path(graph, assignment);
  if (!path) return {};
  std::vector<BitMatrix> result{BitMatrix(graph.size())};
  for (auto& threads : components(graph, *path)) {
    Machine machine(graph, *path, std::move(threads));
    const Outcomes& outcomes = machine.run();
    if (result.size() * outcomes.size() > kMaxBarrierAlternatives)
      too_many_barrier_alternatives(graph, *path);
    std::vector<BitMatrix> combined;
    for (const BitMatrix& matrix : result) {
      for (const Outcome& outcome : outcomes) {
        combined.push_back(matrix);
        machine.add_edges(outcome, combined.back());
      }
    }
    result = std::move(combined);
  }
  return result;
}

}  // namespace ptxmc::event

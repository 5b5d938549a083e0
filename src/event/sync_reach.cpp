// SPDX-License-Identifier: Apache-2.0
#include "event/sync_reach.h"

#include <algorithm>
#include <limits>

namespace ptxmc::event {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int32_t>::max();

}  // namespace

SyncReach::SyncReach(const SyncSystem& system, const SyncState& state, std::size_t frozen)
    : system_(system), state_(state), frozen_(frozen), passed_(state.objects.size()) {
  for (const SyncState::Process& process : state.processes) {
    walks_.push_back({process.next, process.waiting, std::vector<std::int64_t>(state.objects.size(), 0), {}});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < walks_.size(); ++p) {
      if (p != frozen_ && !state.processes[p].exited) changed = advance(p) || changed;
    }
  }
}

bool SyncReach::advance(std::size_t p) {
  const auto& program = system_.processes()[p].program;
  bool moved = false;
  while (walks_[p].next < program.size() && pass(p, program[walks_[p].next])) moved = true;
  return moved;
}

void SyncReach::note(const SyncOperation& op, ObjectId object) {
  Passed& passed = passed_[object];
  passed.any = true;
  switch (op.kind) {
    case SyncKind::barrier:
      ++passed.arrivals;
      break;
    case SyncKind::change:
      passed.arrivals += op.arrivals;
      passed.completes_tx = passed.completes_tx || op.tx != 0;
      passed.loosens = passed.loosens || op.drop;
      passed.no_complete = passed.no_complete || op.no_complete;
      break;
    case SyncKind::issue:
      passed.loosens = true;
      break;
    case SyncKind::init:
    case SyncKind::inval:
      passed.renews = true;
      break;
    default:
      break;
  }
}

/// Lets p past its next operation if it may get there; p waits at a bar once it has arrived.
bool SyncReach::pass(std::size_t p, OperationId id) {
  Walk& walk = walks_[p];
  const SyncOperation& op = system_.operation(id);
  switch (op.kind) {
    case SyncKind::barrier: {
      if (!walk.waiting) {
        note(op, op.object);
        walk.performed.push_back(id);
        walk.waiting = true;
      }
      const bool waits = op.wait != kNoEvent;
      if (op.blocked || (waits && completions(op.object) <= walk.seen[op.object])) return false;
      if (waits) ++walk.seen[op.object];
      walk.waiting = false;
      break;
    }
    case SyncKind::cluster_wait:
    case SyncKind::wait:
      if (op.blocked || !pass_wait(walk, op, id)) return false;
      passed_[op.object].any = passed_[op.object].waits = true;
      break;
    case SyncKind::issue:
      for (const auto& increment : op.increments) note(op, increment.first);
      break;
    case SyncKind::change: {
      if (op.issued != kNoOperation) {
        const std::size_t issuer = system_.process_of(system_.operation(op.issued).thread);
        const auto& program = system_.processes()[issuer].program;
        const auto done = program.begin() + static_cast<std::ptrdiff_t>(walks_[issuer].next);
        if (std::find(program.begin(), done, op.issued) == done) return false;
      }
      note(op, op.object);
      break;
    }
    default:
      note(op, op.object);
      break;
  }
  if (op.kind != SyncKind::barrier) walk.performed.push_back(id);
  ++walk.next;
  return true;
}

bool SyncReach::pass_wait(Walk& walk, const SyncOperation& op, OperationId id) {
  const SyncState::Object& object = state_.objects[op.object];
  const std::int64_t most = completions(op.object);
  if (op.kind == SyncKind::cluster_wait) return object.phase + most > system_.turn(id);
  if (passed_[op.object].renews || !object.live) return true;
  std::int64_t& seen = walk.seen[op.object];
  if (op.parity) {
    if (*op.parity != 0 && *op.parity != 1) return true;
    while (seen <= most && (object.phase + seen) % 2 == *op.parity) ++seen;
    return seen <= most;
  }
  if (op.token == kNoOperation) return true;
  const std::int32_t phase = state_.states[system_.state_index(op.token)];
  return phase >= 0 && phase < object.phase ? true : most > 0;
}

/// How often a barrier without a count can complete: as often as each participant arrives, or exits.
std::int64_t SyncReach::turns_of_participants(ObjectId o) const {
  std::int64_t least = kUnlimited;
  for (const ThreadId t : system_.path().objects[o].participants) {
    const std::size_t p = system_.process_of(t);
    if (state_.processes[p].exited) continue;
    if (p != frozen_ && walks_[p].next == system_.processes()[p].program.size() && system_.path().ends[t])
      continue;
    std::int64_t turns = 0;
    const auto count = [&](OperationId id) {
      const SyncOperation& op = system_.operation(id);
      turns += op.object == o && (op.kind == SyncKind::barrier || op.kind == SyncKind::cluster_arrive);
    };
    for (const OperationId id : walks_[p].performed) count(id);
    for (const OperationId id : state_.objects[o].current) {
      if (system_.operation(id).thread == t) count(id);
    }
    least = std::min(least, turns);
  }
  return least;
}

/// An upper bound on the phases of an object that the others complete.
std::int64_t SyncReach::completions(ObjectId o) const {
  const SyncState::Object& object = state_.objects[o];
  const Passed& passed = passed_[o];
  const ObjectKind kind = system_.path().objects[o].kind;
  if (kind == ObjectKind::cluster) return turns_of_participants(o);
  if (kind == ObjectKind::barrier) {
    if (!system_.uniform(o)) return passed.any || !object.current.empty() ? kUnlimited : 0;
    std::optional<Value> count = object.count;
    for (const Walk& walk : walks_) {
      for (const OperationId id : walk.performed) {
        if (system_.operation(id).object == o) count = system_.operation(id).count;
      }
    }
    if (!count) return turns_of_participants(o);
    if (*count <= 0) return 0;
    return (static_cast<Value>(object.current.size()) + passed.arrivals) / *count;
  }
  if (passed.renews || (!object.live && passed.any)) return kUnlimited;
  if (passed.arrivals < object.pending && !passed.loosens) return 0;
  if (passed.arrivals + (passed.loosens ? kUnlimited : 0) < object.pending) return 0;
  if (object.tx != 0 && !passed.completes_tx) return 0;
  if (!passed.any) return 0;
  if (passed.loosens || object.expected <= 0) return kUnlimited;
  return 1 + (passed.arrivals - object.pending) / object.expected;
}

/// A change of the counts of an mbarrier object.
bool SyncReach::change_commutes(const SyncOperation& op) const {
  const SyncState::Object& object = state_.objects[op.object];
  const Passed& passed = passed_[op.object];
  if (!passed.any) return true;
  // The others must not end the phase, nor fail, before the step; nor must it end the phase for them.
  if (completions(op.object) != 0 || passed.renews || passed.no_complete || op.no_complete) return false;
  const Value together = passed.arrivals + op.arrivals;
  const bool ends_phase = object.pending == op.arrivals && object.tx + op.tx == 0;
  if (ends_phase || together > object.pending) return false;
  // After it they may end the phase, so it must not come before a wait that is for the phase before.
  const bool others_change = passed.arrivals != 0 || passed.completes_tx;
  return !passed.waits || !others_change || together < object.pending;
}

bool SyncReach::independent() const {
  const OperationId id = system_.at(state_, frozen_);
  if (id == kNoOperation) return system_.exits_commute();
  const SyncOperation& op = system_.operation(id);
  const auto touched = [&](ObjectId o) { return passed_[o].any; };
  switch (op.kind) {
    case SyncKind::barrier:
      return system_.uniform(op.object) && completions(op.object) == 0 &&
             (!op.count || !touched(op.object) ||
              static_cast<Value>(state_.objects[op.object].current.size()) + 1 < *op.count);
    case SyncKind::cluster_arrive:
    case SyncKind::cluster_wait:
      return true;  // a phase needs every participant, so each joins the one it is due in
    case SyncKind::init:
    case SyncKind::inval:
      return !touched(op.object);
    case SyncKind::issue:
      return std::none_of(op.increments.begin(), op.increments.end(),
                          [&](const auto& increment) { return touched(increment.first); });
    case SyncKind::wait:
      return completions(op.object) == 0 && !passed_[op.object].renews;
    case SyncKind::change:
      return change_commutes(op);
  }
  return false;
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/sync_reach.h"

#include <algorithm>
#include <limits>

#include "ptx/rules/limits.h"

namespace ptxmc::event {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kUnknown = -1;

}  // namespace

void SyncReach::start(const SyncState& state, std::size_t frozen) {
  state_ = &state;
  frozen_ = frozen;
  const std::size_t objects = state.objects.size(), processes = state.processes.size();
  walks_.clear();
  for (const SyncState::Process& process : state.processes) walks_.push_back({process.next, process.waiting});
  seen_.assign(processes * objects, 0);
  passed_.assign(objects, {});
  turns_.assign(objects * processes, 0);
  counts_.resize(objects);
  least_.assign(objects, kUnknown);
  for (ObjectId o = 0; o < objects; ++o) {
    counts_[o] = state.objects[o].count;
    if (system_.path().objects[o].kind == ObjectKind::mbarrier) continue;
    for (const OperationId id : system_.members(state.objects[o].current))
      ++turns_[o * processes + system_.process_of(system_.operation(id).thread)];
  }
}

// What the others are let past only grows, and with it what the step does not commute with.
bool SyncReach::independent(const SyncState& state, std::size_t frozen) {
  start(state, frozen);
  if (!commutes()) return false;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < walks_.size(); ++p) {
      if (p == frozen_ || state.processes[p].exited || !advance(p)) continue;
      if (!commutes()) return false;
      changed = true;
    }
  }
  return true;
}

bool SyncReach::advance(std::size_t p) {
  const auto& program = system_.processes()[p].program;
  bool moved = false;
  while (walks_[p].next < program.size() && pass(p, program[walks_[p].next])) moved = true;
  if (moved && walks_[p].next == program.size()) std::fill(least_.begin(), least_.end(), kUnknown);
  return moved;
}

void SyncReach::count_turn(std::size_t p, const SyncOperation& op) {
  ++turns_[op.object * walks_.size() + p];
  least_[op.object] = kUnknown;
  if (op.kind == SyncKind::barrier) counts_[op.object] = op.count;
}

void SyncReach::note(const SyncOperation& op, ObjectId object) {
  Passed& passed = passed_[object];
  passed.any = true;
  switch (op.kind) {
    case SyncKind::barrier:
      ++passed.arrivals;
      break;
    case SyncKind::change:
      note_change(op, passed);
      break;
    case SyncKind::init:
    case SyncKind::inval:
      passed.renews = true;
      break;
    default:
      break;
  }
}

void SyncReach::note_change(const SyncOperation& op, Passed& passed) const {
  const Value up = std::max<Value>(op.tx, 0), down = std::min<Value>(op.tx, 0);
  passed.arrivals += op.arrivals;
  if (op.drop) passed.drops += op.arrivals;
  passed.tx_up += up;
  passed.tx_down += down;
  passed.particular = passed.particular || op.no_complete || op.seen;
  if (op.arrivals != 0) {
    passed.least_tx = std::min(passed.least_tx, std::max<Value>(op.tx, 0) / op.arrivals);
    return;
  }
  passed.late = true;
  passed.late_up += up;
  passed.late_down += down;
  passed.late_zero = passed.late_zero || op.tx == 0;
}

/// Lets p past its next operation if it may get there; p waits at a bar once it has arrived.
bool SyncReach::pass(std::size_t p, OperationId id) {
  Walk& walk = walks_[p];
  const SyncOperation& op = system_.operation(id);
  switch (op.kind) {
    case SyncKind::barrier: {
      if (!walk.waiting) {
        note(op, op.object);
        count_turn(p, op);
        walk.waiting = true;
      }
      const bool waits = op.wait != kNoEvent;
      if (op.blocked || (waits && completions(op.object) <= seen(p, op.object))) return false;
      if (waits) ++seen(p, op.object);
      walk.waiting = false;
      break;
    }
    case SyncKind::cluster_wait:
    case SyncKind::wait:
      if (op.blocked || !pass_wait(p, op, id)) return false;
      passed_[op.object].any = passed_[op.object].waits = true;
      break;
    case SyncKind::fails:
      passed_[op.object].any = passed_[op.object].waits = true;
      break;
    case SyncKind::issue:
      for (const auto& [object, count] : op.increments) {
        note(op, object);
        passed_[object].raises += count;
      }
      break;
    case SyncKind::change: {
      if (op.issued != kNoOperation) {
        const std::size_t issuer = system_.process_of(system_.operation(op.issued).thread);
        if (walks_[issuer].next <= system_.position(op.issued)) return false;
      }
      note(op, op.object);
      break;
    }
    default:
      note(op, op.object);
      break;
  }
  if (op.kind == SyncKind::cluster_arrive) count_turn(p, op);
  ++walk.next;
  return true;
}

bool SyncReach::pass_wait(std::size_t p, const SyncOperation& op, OperationId id) {
  const SyncState::Object& object = state().objects[op.object];
  const std::int64_t most = completions(op.object);
  if (op.kind == SyncKind::cluster_wait) return object.phase + most > system_.turn(id);
  if (passed_[op.object].renews || !object.live) return true;
  std::int64_t& seen = this->seen(p, op.object);
  if (op.parity) {
    if (*op.parity != 0 && *op.parity != 1) return true;
    while (seen <= most && (object.phase + seen) % 2 == *op.parity) ++seen;
    return seen <= most;
  }
  if (op.token == kNoOperation) return true;
  const std::int32_t phase = state().states[system_.state_index(op.token)];
  return phase >= 0 && phase < object.phase ? true : most > 0;
}

/// How often a barrier without a count can complete: as often as each participant arrives, or exits.
std::int64_t SyncReach::turns_of_participants(ObjectId o) const {
  if (least_[o] == kUnknown) least_[o] = least_turns(o);
  return least_[o];
}

std::int64_t SyncReach::least_turns(ObjectId o) const {
  std::int64_t least = kUnlimited;
  for (const ThreadId t : system_.path().objects[o].participants) {
    const std::size_t p = system_.process_of(t);
    if (state().processes[p].exited) continue;
    if (p != frozen_ && walks_[p].next == system_.processes()[p].program.size() && system_.path().ends[t])
      continue;
    least = std::min(least, turns_[o * walks_.size() + p]);
  }
  return least;
}

/// An upper bound on the phases of an object that the others complete.
std::int64_t SyncReach::completions(ObjectId o) const {
  const SyncState::Object& object = state().objects[o];
  const Passed& passed = passed_[o];
  const ObjectKind kind = system_.path().objects[o].kind;
  if (kind == ObjectKind::cluster) return turns_of_participants(o);
  if (kind == ObjectKind::barrier) {
    if (!system_.uniform(o)) return passed.any || object.current != PhaseSets::kEmpty ? kUnlimited : 0;
    const std::optional<Value>& count = counts_[o];
    if (!count) return turns_of_participants(o);
    if (*count <= 0) return 0;
    return (static_cast<Value>(system_.members(object.current).size()) + passed.arrivals) / *count;
  }
  if (passed.renews || (!object.live && passed.any)) return kUnlimited;
  if (!passed.any || passed.arrivals < object.pending) return 0;
  if (object.tx + passed.tx_down > 0 || object.tx + passed.tx_up < 0) return 0;
  if (passed.arrivals == object.pending && passed.raises == 0) {
    // The first phase takes every arrival, with what it does to the tx-count.
    const Value arrived = object.tx + passed.tx_up + passed.tx_down - passed.late_up - passed.late_down;
    if (arrived + passed.late_down > 0 || arrived + passed.late_up < 0) return 0;
  }
  if (passed.drops != 0 || passed.raises != 0 || object.expected <= 0) return kUnlimited;
  // At the end of each phase the bytes that its arrivals expect, and all before them, have come.
  Value arrivals = passed.arrivals;
  if (passed.least_tx > 0)
    arrivals = std::min(arrivals, std::max<Value>(-passed.late_down - object.tx, 0) / passed.least_tx);
  if (arrivals < object.pending) return 0;
  return 1 + (arrivals - object.pending) / object.expected;
}

/// An issue that adds to the pending count.
bool SyncReach::raise_commutes(ObjectId o, Value count) const {
  const SyncState::Object& object = state().objects[o];
  const Passed& passed = passed_[o];
  if (!passed.any) return true;
  return object.live && !passed.renews && !passed.particular && passed.arrivals < object.pending &&
         object.pending + passed.raises + count <= rules::kLargestMbarrierCount;
}

/// A change of the counts of an mbarrier object. Counts add up in any order; what depends on the order is
/// where a phase ends, who finds a count out of range, and what a wait sees.
bool SyncReach::change_commutes(const SyncOperation& op) const {
  const SyncState::Object& object = state().objects[op.object];
  const Passed& passed = passed_[op.object];
  if (!passed.any) return true;
  // The others must not end the phase before the step.
  if (completions(op.object) != 0 || passed.renews || passed.particular || op.no_complete || op.seen)
    return false;
  const Value least = object.tx + passed.tx_down + std::min<Value>(op.tx, 0);
  const Value most = object.tx + passed.tx_up + std::max<Value>(op.tx, 0);
  if (least < -rules::kLargestMbarrierCount || most > rules::kLargestMbarrierCount) return false;
  if (object.pending + passed.raises > rules::kLargestMbarrierCount) return false;
  if (passed.drops + (op.drop ? op.arrivals : 0) > object.expected) return false;
  const Value together = passed.arrivals + op.arrivals;
  if (together < object.pending) return true;  // nothing ends the phase
  return together == object.pending && passed.raises == 0 && last_change_commutes(op);
}

/// The same where the phase lacks just the arrivals of the step and of all others, so that it ends, if it
/// does, with the last of them or with a change of the tx-count behind it. Then the step and another one lead
/// to the same in either order unless the step, when all arrivals of the others are there, ends the phase and
/// leaves the other one behind: one that changes the tx-count, or a wait.
bool SyncReach::last_change_commutes(const SyncOperation& op) const {
  const SyncState::Object& object = state().objects[op.object];
  const Passed& passed = passed_[op.object];
  const Value late_free =
      object.tx + op.tx + passed.tx_up + passed.tx_down - passed.late_up - passed.late_down;
  const Value least = late_free + passed.late_down, most = late_free + passed.late_up;
  if (least > 0 || most < 0) return true;  // the tx-count keeps the phase open at all these points
  if (passed.waits) return false;
  if (!passed.late) return true;
  // All late changes have one sign and only together make up for the rest: none of them is left behind.
  const bool only_together = (least == 0 && passed.late_up == 0) || (most == 0 && passed.late_down == 0);
  return only_together && !passed.late_zero;
}

bool SyncReach::commutes() const {
  const OperationId id = system_.at(state(), frozen_);
  if (id == kNoOperation) return system_.exits_commute();
  const SyncOperation& op = system_.operation(id);
  const auto touched = [&](ObjectId o) { return passed_[o].any; };
  switch (op.kind) {
    case SyncKind::barrier:
      return system_.uniform(op.object) && completions(op.object) == 0 &&
             (!op.count || !touched(op.object) ||
              static_cast<Value>(system_.members(state().objects[op.object].current).size()) + 1 < *op.count);
    case SyncKind::cluster_arrive:
    case SyncKind::cluster_wait:
      return true;  // a phase needs every participant, so each joins the one it is due in
    case SyncKind::init:
    case SyncKind::inval:
      return !touched(op.object);
    case SyncKind::issue:
      return std::all_of(op.increments.begin(), op.increments.end(), [&](const auto& increment) {
        return raise_commutes(increment.first, increment.second);
      });
    case SyncKind::wait:
    case SyncKind::fails:
      return completions(op.object) == 0 && !passed_[op.object].renews;
    case SyncKind::change:
      return change_commutes(op);
  }
  return false;
}

}  // namespace ptxmc::event

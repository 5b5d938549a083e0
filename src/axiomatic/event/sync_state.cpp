// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/sync_state.h"

#include <algorithm>
#include <utility>

#include "axiomatic/event/barriers.h"
#include "ptx/rules/limits.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

constexpr std::size_t kNone = kNoOperation;

/// The kinds of operations that are asked for by object: a row of last_.
std::optional<std::size_t> row_of(SyncKind kind) {
  switch (kind) {
    case SyncKind::init:
      return 0;
    case SyncKind::inval:
      return 1;
    case SyncKind::wait:
      return 2;
    default:
      return std::nullopt;
  }
}

/// An mbarrier phase ends: the next one begins with all counts in place (R198, R200).
void advance(SyncState::Object& object) {
  object.preceding = std::exchange(object.current, PhaseSets::kEmpty);
  ++object.phase;
  object.pending = object.expected;
}

}  // namespace

PhaseSets::PhaseSets() {
  sets_.push_back(&ids_.try_emplace(PhaseMembers{}, kEmpty).first->first);
}

PhaseSets::Id PhaseSets::with(Id set, OperationId more) {
  const auto [known, fresh] = with_.try_emplace(std::uint64_t{set} << 32 | more, kEmpty);
  if (!fresh) return known->second;
  PhaseMembers members = *sets_[set];
  members.insert(std::upper_bound(members.begin(), members.end(), more), more);
  const auto [place, added] = ids_.try_emplace(std::move(members), static_cast<Id>(sets_.size()));
  if (added) sets_.push_back(&place->first);
  return known->second = place->second;
}

SyncSystem::SyncSystem(const SyncPath& path, std::vector<SyncProcess> processes)
    : path_(path),
      processes_(std::move(processes)),
      process_of_(path.ends.size(), kNone),
      issuer_(path.operations.size(), kNone),
      position_(path.operations.size(), 0),
      turns_(path.operations.size(), 0),
      state_index_(path.operations.size(), kNone),
      uniform_(path.objects.size(), 1) {
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    if (processes_[p].thread != kNoThread) process_of_[processes_[p].thread] = p;
    for (std::size_t k = 0; k < processes_[p].program.size(); ++k) {
      position_[processes_[p].program[k]] = static_cast<std::uint16_t>(k);
    }
  }
  classify();
  find_last_operations();
}

void SyncSystem::find_last_operations() {
  for (auto& row : last_) row.assign(path_.objects.size() * processes_.size(), 0);
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    for (const OperationId o : processes_[p].program) {
      const SyncOperation& op = operation(o);
      const std::optional<std::size_t> row = row_of(op.kind);
      if (row && op.object != kNoObject && !op.blocked)
        last_[*row][op.object * processes_.size() + p] = static_cast<std::uint16_t>(position_[o] + 1);
    }
  }
}

void SyncSystem::classify() {
  std::vector<const SyncOperation*> first(path_.objects.size(), nullptr);
  std::vector<char> unnamed(path_.objects.size(), 0), all_wait(path_.objects.size(), 1);
  for (const SyncProcess& process : processes_) {
    std::vector<std::int32_t> arrivals(path_.objects.size(), 0), waits(path_.objects.size(), 0);
    for (const OperationId o : process.program) {
      const SyncOperation& op = operation(o);
      if (op.token != kNoOperation && state_index_[op.token] == kNone)
        state_index_[op.token] = state_count_++;
      if (op.issued != kNoOperation) issuer_[o] = process_of_[operation(op.issued).thread];
      if (op.kind == SyncKind::cluster_arrive) {
        turns_[o] = arrivals[op.object]++ - waits[op.object];  // how many arrivals lack a wait
        unnamed[op.object] = 1;
      }
      if (op.kind == SyncKind::cluster_wait) turns_[o] = waits[op.object]++;
      if (op.kind != SyncKind::barrier) continue;
      if (first[op.object] && first[op.object]->count != op.count) uniform_[op.object] = 0;
      if (!first[op.object]) first[op.object] = &op;
      if (!op.count) unnamed[op.object] = 1;
      if (op.wait == kNoEvent) all_wait[op.object] = 0;
    }
  }
  for (ObjectId o = 0; o < path_.objects.size(); ++o) {
    if (unnamed[o] == 0) continue;
    exits_matter_ = true;
    if (uniform_[o] == 0 || all_wait[o] == 0) exits_commute_ = false;
  }
}

SyncState SyncSystem::start() const {
  SyncState state;
  state.processes.resize(processes_.size());
  state.objects.resize(path_.objects.size());
  state.states.assign(state_count_, -1);
  for (ObjectId o = 0; o < path_.objects.size(); ++o) {
    if (path_.objects[o].kind != ObjectKind::mbarrier) continue;
    const auto& count = path_.objects[o].count;
    state.objects[o].live = count.has_value();
    if (count) state.objects[o].expected = state.objects[o].pending = *count;
  }
  return state;
}

OperationId SyncSystem::at(const SyncState& state, std::size_t p) const {
  const auto& program = processes_[p].program;
  return state.processes[p].next < program.size() ? program[state.processes[p].next] : kNoOperation;
}

bool SyncSystem::remains(const SyncState& state, ObjectId object, SyncKind kind) const {
  const std::optional<std::size_t> row = row_of(kind);
  PTXMC_CHECK(row.has_value(), "only of kinds that are looked for");
  const std::uint16_t* last = &last_[*row][object * processes_.size()];
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    if (last[p] > state.processes[p].next) return true;
  }
  return false;
}

std::vector<EventId> SyncSystem::waits_left(const SyncState& state, std::size_t p) const {
  std::vector<EventId> out;
  const ThreadId own = operation(at(state, p)).thread;
  for (std::size_t other = 0; other < processes_.size(); ++other) {
    const std::vector<OperationId>& program = processes_[other].program;
    for (std::size_t k = state.processes[other].next; k < program.size(); ++k) {
      const SyncOperation& op = operation(program[k]);
      if (op.thread == own) break;
      const bool waits = op.kind == SyncKind::wait || op.kind == SyncKind::cluster_wait;
      const EventId wait = waits ? op.event : op.wait;
      if (wait != kNoEvent) out.push_back(wait);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<EventId> SyncSystem::arrived_before(const SyncState& state, std::size_t p) const {
  constexpr std::size_t kFew = 16;  // each set of them is another outcome
  const SyncOperation& op = operation(at(state, p));
  std::vector<EventId> out;
  if (op.object == kNoObject || op.kind == SyncKind::wait || path_.operations.size() > kFew) return out;
  for (const OperationId member : members(state.objects[op.object].current))
    out.push_back(operation(member).event);
  std::sort(out.begin(), out.end());
  return out;
}

/// The condition of a wait, whether or not it is to wait forever.
bool SyncSystem::ready(const SyncState& state, OperationId id) const {
  const SyncOperation& op = operation(id);
  const SyncState::Object& object = state.objects[op.object];
  if (op.kind == SyncKind::cluster_wait) return object.phase > turns_[id];
  if (!object.live) return false;
  if (op.parity) return *op.parity != 0 && *op.parity != 1 ? true : object.phase % 2 != *op.parity;
  if (op.token == kNoOperation) return true;  // misuse
  const std::int32_t phase = state.states[state_index_[op.token]];
  return phase >= 0 && object.phase > phase;
}

/// An mbarrier that is not initialised yet is waited for; one that is dead for good is misused.
bool SyncSystem::lives(const SyncState& state, const SyncOperation& op) const {
  const SyncState::Object& object = state.objects[op.object];
  if (object.live) return op.kind != SyncKind::init || !remains(state, op.object, SyncKind::inval);
  if (op.kind == SyncKind::init) return true;
  return object.dead != kNoOperation && !remains(state, op.object, SyncKind::init);
}

bool SyncSystem::enabled(const SyncState& state, std::size_t p) const {
  const SyncState::Process& process = state.processes[p];
  if (process.waiting || process.exited) return false;
  const OperationId id = at(state, p);
  if (id == kNoOperation) {
    return processes_[p].thread != kNoThread && exits_matter_ && path_.ends[processes_[p].thread];
  }
  const SyncOperation& op = operation(id);
  switch (op.kind) {
    case SyncKind::barrier:
    case SyncKind::cluster_arrive:
    case SyncKind::issue:
      return true;
    case SyncKind::cluster_wait:
      return !op.blocked && ready(state, id);
    case SyncKind::wait:
      return !op.blocked && (state.objects[op.object].live ? ready(state, id) : lives(state, op));
    case SyncKind::fails:
      return state.objects[op.object].live ? !ready(state, id) : lives(state, op);
    case SyncKind::init:
    case SyncKind::inval:
      return lives(state, op);
    case SyncKind::change:
      if (op.issued != kNoOperation && state.processes[issuer_[id]].next <= position_[op.issued])
        return false;
      return lives(state, op);
  }
  return false;
}

bool SyncSystem::finished(const SyncState& state) const {
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const OperationId id = at(state, p);
    if (id == kNoOperation) {
      const ThreadId t = processes_[p].thread;
      if (t != kNoThread && path_.some_blocked && exits_matter_ && path_.ends[t] &&
          !state.processes[p].exited)
        return false;
    } else if (!operation(id).blocked) {
      return false;
    } else if (operation(id).kind == SyncKind::barrier ? !state.processes[p].waiting : ready(state, id)) {
      return false;
    }
  }
  return true;
}

bool SyncSystem::has_arrived(const SyncState::Object& object, std::size_t p) const {
  const PhaseMembers& arrived = members(object.current);
  return std::any_of(arrived.begin(), arrived.end(),
                     [&](OperationId o) { return operation(o).thread == processes_[p].thread; });
}

bool SyncSystem::full(const SyncState& state, ObjectId o) const {
  const SyncState::Object& object = state.objects[o];
  if (object.count)
    return *object.count > 0 && static_cast<Value>(members(object.current).size()) >= *object.count;
  const auto& participants = path_.objects[o].participants;
  return std::all_of(participants.begin(), participants.end(), [&](ThreadId t) {
    const std::size_t p = process_of_[t];
    return state.processes[p].exited || has_arrived(object, p);
  });
}

/// Completes the current phase of a bar if it is full: who waits goes on, and the barrier is empty (R165).
void SyncSystem::complete_bar(SyncState& state, ObjectId o, SyncStep& out) const {
  SyncState::Object& object = state.objects[o];
  if (object.current == PhaseSets::kEmpty || !full(state, o)) return;
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    SyncState::Process& process = state.processes[p];
    if (!process.waiting || operation(at(state, p)).object != o) continue;
    const SyncOperation& op = operation(at(state, p));
    out.impossible = out.impossible || op.blocked;
    out.observed.emplace_back(object.current, op.wait);
    process.waiting = false;
    ++process.next;
  }
  object.current = PhaseSets::kEmpty;
  object.count.reset();
}

/// A thread that has exited counts as arrived (R174, R180).
void SyncSystem::complete_cluster(SyncState& state, ObjectId o) const {
  SyncState::Object& object = state.objects[o];
  if (object.current == PhaseSets::kEmpty || !full(state, o)) return;
  object.preceding = std::exchange(object.current, PhaseSets::kEmpty);
  ++object.phase;
}

void SyncSystem::exit(SyncState& state, std::size_t p, SyncStep& out) const {
  state.processes[p].exited = true;
  for (ObjectId o = 0; o < path_.objects.size(); ++o) {
    if (path_.objects[o].kind == ObjectKind::barrier) complete_bar(state, o, out);
    if (path_.objects[o].kind == ObjectKind::cluster) complete_cluster(state, o);
  }
}

/// R163: a barrier operation without a count is one of all its participants.
Value SyncSystem::arrivals_of(ObjectId o, const std::optional<Value>& count) const {
  return count.value_or(static_cast<Value>(path_.objects[o].participants.size()));
}

void SyncSystem::arrive_at_bar(SyncState& state, std::size_t p, OperationId id, SyncStep& out) const {
  const SyncOperation& op = operation(id);
  SyncState::Object& object = state.objects[op.object];
  if (op.count == kNoCount) {
    out.misuse = SyncMisuse::no_count;
    return;
  }
  if (object.current == PhaseSets::kEmpty) {
    object.count = op.count;
  } else if (arrivals_of(op.object, op.count) != arrivals_of(op.object, object.count)) {
    out.misuse = SyncMisuse::counts_differ;
    return;
  } else if (operation(members(object.current).front()).reduces != op.reduces) {
    out.misuse = SyncMisuse::kinds_differ;
    return;
  } else if (has_arrived(object, p)) {
    out.misuse = SyncMisuse::arrives_again;
    return;
  }
  object.current = sets_.with(object.current, id);
  if (op.wait != kNoEvent) {
    state.processes[p].waiting = true;
  } else {
    ++state.processes[p].next;
  }
  complete_bar(state, op.object, out);
}

/// arrive, arrive_drop, expect_tx, complete_tx and completion signals. The expect-tx comes before the arrival
/// (R206). A phase is complete when nothing is pending and the tx-count is zero (R200).
void SyncSystem::change(SyncState& state, OperationId id, SyncStep& out) const {
  const SyncOperation& op = operation(id);
  SyncState::Object& object = state.objects[op.object];
  object.tx += op.tx;
  if (object.tx > rules::kLargestMbarrierCount || object.tx < -rules::kLargestMbarrierCount) {
    out.misuse = SyncMisuse::tx_overflow;
  }
  if (op.arrivals > object.pending) {
    out.misuse = SyncMisuse::pending_underflow;
  } else if (op.drop && op.arrivals > object.expected) {
    out.misuse = SyncMisuse::no_expected;
  }
  if (out.misuse) return;
  out.impossible = op.seen && *op.seen != object.pending;
  object.pending -= op.arrivals;
  if (op.drop) object.expected -= op.arrivals;
  if (op.synchronizes) object.current = sets_.with(object.current, id);
  if (state_index_[id] != kNone) state.states[state_index_[id]] = object.phase;
  if (object.pending != 0 || object.tx != 0) return;
  if (op.no_complete) {
    out.misuse = SyncMisuse::completes;
  } else {
    advance(object);
  }
}

/// A wait that ends: it observes the phase before the current one (R217).
void SyncSystem::observe(const SyncState& state, OperationId id, SyncStep& out) const {
  const SyncOperation& op = operation(id);
  const SyncState::Object& object = state.objects[op.object];
  if (op.kind == SyncKind::wait) {
    if (op.parity && *op.parity != 0 && *op.parity != 1) {
      out.misuse = SyncMisuse::wrong_parity;
    } else if (!op.parity && op.token == kNoOperation) {
      out.misuse = SyncMisuse::wrong_state;
    } else if (!op.parity && state.states[state_index_[op.token]] < object.phase - 1) {
      out.misuse = SyncMisuse::old_phase;
    }
    if (out.misuse) return;
  }
  out.observed.emplace_back(object.preceding, op.event);
}

SyncStep SyncSystem::step(SyncState& state, std::size_t p) const {
  SyncStep out;
  const OperationId id = at(state, p);
  if (id == kNoOperation) {
    exit(state, p, out);
    return out;
  }
  const SyncOperation& op = operation(id);
  if (op.kind == SyncKind::barrier) {
    arrive_at_bar(state, p, id, out);
    return out;
  }
  ++state.processes[p].next;
  if (op.kind == SyncKind::issue) {
    for (const auto& [object, count] : op.increments) {
      Value& pending = state.objects[object].pending;
      pending += count;
      if (pending > rules::kLargestMbarrierCount) out.misuse = SyncMisuse::pending_overflow;
    }
    return out;
  }
  SyncState::Object& object = state.objects[op.object];
  if (op.kind == SyncKind::cluster_arrive) {
    if (turns_[id] > 0) out.misuse = SyncMisuse::arrives_twice;
    object.current = sets_.with(object.current, id);
    complete_cluster(state, op.object);
  } else if (op.kind == SyncKind::cluster_wait) {
    observe(state, id, out);
  } else if (op.kind == SyncKind::init) {
    if (object.live) out.misuse = SyncMisuse::live_object;
    object = SyncState::Object{};
    object.expected = object.pending = *op.count;
  } else if (!object.live) {
    out.misuse = SyncMisuse::invalid_object;
    out.cause = object.dead;
  } else if (op.kind == SyncKind::inval) {
    object.live = false;
    object.dead = id;
    object.current = object.preceding = PhaseSets::kEmpty;
  } else if (op.kind == SyncKind::wait) {
    observe(state, id, out);
  } else if (op.kind == SyncKind::change) {
    change(state, id, out);
  }
  return out;
}

/// Forgets members of phases that no thread can wait for any more.
void SyncSystem::normalise(SyncState& state) const {
  for (ObjectId o = 0; o < path_.objects.size(); ++o) {
    SyncState::Object& object = state.objects[o];
    if (path_.objects[o].kind != ObjectKind::mbarrier) continue;
    if (object.current == PhaseSets::kEmpty && object.preceding == PhaseSets::kEmpty) continue;
    if (remains(state, o, SyncKind::wait)) continue;
    object.current = object.preceding = PhaseSets::kEmpty;
  }
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/barriers.h"

#include "support/check.h"

namespace ptxmc::trace {
namespace {

constexpr std::size_t kPhasesKept = 4;

}  // namespace

Barriers::Meeting& Barriers::meet(Phases& phases, Phase phase) {
  if (phases.size() >= kPhasesKept && !phases.contains(phase)) phases.erase(phases.begin());
  return phases[phase];
}

// R175: in every schedule an arrival counts to the phase that it counts to in this one only if it is executed after all
// arrivals at the phase before: whatever order tells that, be it none of memory.
void Barriers::check_reuse(Site site, Lanes lanes, const Meeting& before) {
  const Clock* clock = nullptr;
  for_threads(lanes, [&](Thread thread) {
    if (clock != nullptr && threads_.clock(thread).get() == clock) return;  // as the lane before
    clock = threads_.clock(thread).get();
    for (const Arrived& other : before.arrived) {
      if (threads_.knows(thread, OrderKind::base, other.epoch) ||
          threads_.knows(thread, OrderKind::execution, other.epoch))
        continue;
      Finding finding;
      finding.rule = RuleId::barrier_reuse;
      finding.first = {other.site,
                       other.epoch.warp * kLanes + static_cast<Thread>(std::countr_zero(other.epoch.mask))};
      finding.second = {site, thread};
      findings_.add(finding);
      return;
    }
  });
}

void Barriers::arrive(Site site, Lanes lanes, Barrier barrier, Phase phase) {
  Phases& phases = barriers_[{false, barrier.group, barrier.id}];
  const auto before = phase == 0 ? phases.end() : phases.find(phase - 1);
  if (before != phases.end()) check_reuse(site, lanes, before->second);
  Meeting& meeting = meet(phases, phase);
  const Epoch epoch{Agent::thread, lanes.warp, lanes.mask, 0, threads_.stamp(lanes.warp)};
  threads_.add_snapshots(lanes, meeting.released);
  meeting.arrived.push_back({epoch, site});
  threads_.tick(lanes.warp);
}

const ClockRef& Barriers::clock(Meeting& meeting) {
  if (meeting.clock == nullptr) {
    meeting.clock = join(meeting.released);
    meeting.released = {};
  }
  return meeting.clock;
}

void Barriers::leave(Lanes lanes, Barrier barrier, Phase phase) {
  Phases& phases = barriers_[{false, barrier.group, barrier.id}];
  PTXMC_CHECK(phases.contains(phase), "who leaves a phase of a barrier has arrived at it");
  threads_.meet(lanes, clock(phases[phase]));
}

void Barriers::cluster_arrive(Site site, Lanes lanes, Barrier barrier, Phase phase,
                              isa::Semantics semantics) {
  Meeting& meeting = meet(barriers_[{true, barrier.group, barrier.id}], phase);
  std::vector<Snapshot> snapshots;
  threads_.add_snapshots(lanes, snapshots);
  meeting.executed = join(meeting.executed, executed(join(snapshots)));
  std::vector<Snapshot>& told = releases(semantics) ? meeting.released : meeting.relaxed;
  told.insert(told.end(), snapshots.begin(), snapshots.end());
  if (!releases(semantics)) meeting.relaxed_at = site;
  for_threads(lanes, [&](Thread thread) {
    release_sequences_.add_fenced(thread, meeting.fenced);
    meeting.sent = join(meeting.sent, threads_.tensor().sent(thread));
  });
  meeting.executed = join(meeting.executed, threads_.told_by_execution(lanes));
  meeting.executed = join(meeting.executed, threads_.told_inits(lanes));
  threads_.tick(lanes.warp);
}

void Barriers::cluster_leave(Site site, Lanes lanes, Barrier barrier, Phase phase, isa::Semantics semantics) {
  Meeting& meeting = barriers_[{true, barrier.group, barrier.id}][phase];
  auto message = std::make_shared<ReleaseSequence>();
  message->linked = false;
  message->deposits = meeting.fenced;
  if (!meeting.released.empty() || meeting.clock != nullptr) {
    const Thread thread = lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)));
    message->deposits.push_back({clock(meeting), thread, isa::Scope::cluster, site});
  }
  threads_.learn(lanes, meeting.executed);
  if (acquires(semantics)) release_sequences_.acquire(site, lanes, isa::Scope::cluster, message);
  if (!meeting.relaxed.empty()) {
    meeting.unreleased = join(meeting.relaxed);
    meeting.relaxed = {};
  }
  for_threads(lanes, [&](Thread thread) {
    release_sequences_.observe(site, thread, 0, message);
    if (meeting.unreleased != nullptr)
      release_sequences_.tell_unreleased(thread, meeting.unreleased, meeting.relaxed_at, site);
    threads_.tensor().signal(thread, meeting.sent);
  });
}

void Barriers::warp(Lanes lanes) {
  if (threads_.agree(lanes, OrderKind::base)) return;
  std::vector<Snapshot> snapshots;
  threads_.add_snapshots(lanes, snapshots);
  threads_.meet(lanes, join(snapshots));
  threads_.tick(lanes.warp);
}

void Barriers::tell(Lanes lanes, OrderKind plane) {
  if ((lanes.mask & (lanes.mask - 1)) == 0 || threads_.agree(lanes, plane)) return;
  std::vector<Snapshot> snapshots;
  threads_.add_snapshots(lanes, snapshots);
  const ClockRef all = join(snapshots);
  ClockEdit told(narrowed(all, plane));
  told.add_passed(*all);
  threads_.learn(lanes, told.take());
  threads_.tick(lanes.warp);
}

/// That lanes have met tells no more of accesses (D22), but waits before it have succeeded.
void Barriers::exchange(Lanes lanes) {
  tell(lanes, OrderKind::exchange);
  tell(lanes, OrderKind::execution);
}

void Barriers::execute(Lanes lanes) {
  tell(lanes, OrderKind::execution);
}

void Barriers::execute_behind(Lanes lanes, std::span<const Lanes> others) {
  std::vector<Snapshot> snapshots;
  for (const Lanes one : others) threads_.add_snapshots(one, snapshots);
  threads_.learn(lanes, executed(join(snapshots)));
}

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
#include "plain_order.h"

#include <algorithm>

namespace ptxmc::testing {

using isa::Scope;
using isa::Semantics;
using trace::Lanes;
using trace::Thread;

namespace {

constexpr trace::Address kWord = 4;

bool releases(Semantics semantics) {
  return semantics == Semantics::release || semantics == Semantics::acq_rel || semantics == Semantics::sc;
}
bool acquires(Semantics semantics) {
  return semantics == Semantics::acquire || semantics == Semantics::acq_rel || semantics == Semantics::sc;
}

/// Scopes by width; volatile and mmio are .sys (8.4).
std::optional<Scope> strong_scope(trace::Strength strength) {
  if (strength.semantics == Semantics::weak) return std::nullopt;
  return strength.scope == Scope::none ? Scope::sys : strength.scope;
}

}  // namespace

void PlainClock::set(std::size_t agent, std::uint32_t time) {
  if (times_.size() <= agent) times_.resize(agent + 1, 0);
  times_[agent] = time;
}

void PlainClock::join(const PlainClock& other) {
  if (times_.size() < other.times_.size()) times_.resize(other.times_.size(), 0);
  for (std::size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
  alone_.insert(other.alone_.begin(), other.alone_.end());
}

void PlainOrder::start(std::span<const trace::Placement> warps) {
  warps_.assign(warps.begin(), warps.end());
  agents_ = warps.size() * trace::kLanes;
  clocks_.resize(agents_);
  fenced_.resize(agents_);
  pending_.resize(agents_);
  for (Thread thread = 0; thread < agents_; ++thread) clocks_[thread].set(thread, 1);
}

void PlainOrder::start_behind(Lanes lanes, std::span<const std::uint32_t> tasks) {
  const auto is_over = [&](Thread thread) {
    return std::find(tasks.begin(), tasks.end(), warps_[thread / trace::kLanes].task) != tasks.end();
  };
  PlainClock before;
  for (Thread thread = 0; thread < clocks_.size(); ++thread) {
    if (is_over(thread)) before.join(clocks_[thread]);
  }
  for (const Flight& flight : flights_) {
    if (is_over(flight.issuer)) before.join(flight.all);
  }
  for_threads(lanes, [&](Thread thread) { clocks_[thread].join(before); });
}

void PlainOrder::tick(Thread thread) {
  clocks_[thread].set(thread, clocks_[thread].of(thread) + 1);
}

bool PlainOrder::includes(Scope scope, Thread from, Thread other) const {
  const trace::Placement &a = warps_[from / trace::kLanes], &b = warps_[other / trace::kLanes];
  switch (scope) {
    case Scope::none:
      return false;
    case Scope::cta:
      return a.cta == b.cta;
    case Scope::cluster:
      return a.cluster == b.cluster;
    case Scope::gpu:
      return a.gpu == b.gpu;
    default:
      return true;
  }
}

bool PlainOrder::meet(Scope first, Thread one, Scope second, Thread other) const {
  return includes(first, one, other) && includes(second, other, one);
}

void PlainOrder::take(Thread thread, Scope scope, const Releases& releases) {
  for (const Release& release : releases) {
    if (!release.thread || meet(release.scope, *release.thread, scope, thread))
      clocks_[thread].join(release.clock);
  }
}

void PlainOrder::join(Releases& into, const Release& release) {
  const auto same = std::ranges::find_if(
      into, [&](const Release& one) { return one.thread == release.thread && one.scope == release.scope; });
  if (same == into.end())
    into.push_back(release);
  else
    same->clock.join(release.clock);
}

PlainOrder::Releases PlainOrder::released_by(Thread thread, trace::Strength strength) const {
  Releases out = fenced_[thread];
  if (releases(strength.semantics))
    out.push_back({clocks_[thread], thread, strong_scope(strength).value_or(Scope::sys)});
  return out;
}

void PlainOrder::observe(Thread thread, trace::Strength strength, const Releases& releases) {
  for (const Release& release : releases) join(pending_[thread], release);
  if (acquires(strength.semantics)) take(thread, strong_scope(strength).value_or(Scope::sys), releases);
}

void PlainOrder::access(const trace::Access& access) {
  for (std::uint32_t rest = access.lanes.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (unsigned i = 0; i < access.elements; ++i) element(access, lane, i);
    tick(access.lanes.thread(lane));
  }
  if (access.together) warp_sync(access.site, access.lanes);
}

void PlainOrder::element(const trace::Access& access, unsigned lane, unsigned number) {
  const Thread thread = access.lanes.thread(lane);
  const trace::Address at = access.begin[lane] + trace::Address{number} * access.bytes;
  const bool reads = access.effect != trace::Effect::write, writes = access.effect != trace::Effect::read;
  const std::optional<Scope> strong = strong_scope(access.strength);
  const auto found = messages_.find(at);
  const Message before = found == messages_.end() ? Message{} : found->second;
  if (reads && strong) {
    for (const Write& write : before.writes) {
      if (meet(write.scope, write.thread, *strong, thread)) clocks_[thread].add(write.thread, write.time);
    }
    if (!access.no_result) observe(thread, access.strength, before.releases);
  }
  Touch now{thread, clocks_[thread], access.site, writes, strong, std::nullopt, {at, access.bytes}};
  if (writes && !access.written.empty() && access.words_of_element() == 1)
    now.value = access.written[std::size_t{lane} * access.words() + number];
  touch(now);
  if (!writes) return;
  Message& message = messages_[at];
  message = {};
  if (!strong) return;
  if (reads) message = before;  // a chain of atomics (8.8)
  const Releases own = released_by(thread, access.strength);
  message.releases.insert(message.releases.end(), own.begin(), own.end());
  message.writes.push_back({thread, clocks_[thread].of(thread), *strong});
}

void PlainOrder::fence(trace::Site, Lanes lanes, trace::Strength strength, isa::Space memory) {
  foreign_ = foreign_ || memory != isa::Space::generic;
  const Scope scope = strong_scope(strength).value_or(Scope::sys);
  for_threads(lanes, [&](Thread thread) {
    if (acquires(strength.semantics)) take(thread, scope, pending_[thread]);
    if (strength.semantics == Semantics::sc) {  // the order of execution is one of all fence.sc (8.9.3)
      take(thread, scope, sequential_);
      join(sequential_, {clocks_[thread], thread, scope});
    }
    if (releases(strength.semantics)) join(fenced_[thread], {clocks_[thread], thread, scope});
    tick(thread);
  });
}

void PlainOrder::warp_sync(trace::Site, Lanes lanes) {
  PlainClock all;
  for_threads(lanes, [&](Thread thread) { all.join(clocks_[thread]); });
  for_threads(lanes, [&](Thread thread) {
    clocks_[thread].join(all);
    tick(thread);
  });
}

void PlainOrder::barrier_arrive(trace::Site, Lanes lanes, trace::Barrier barrier, trace::Phase phase) {
  PlainClock& clock = rendezvous_[{false, barrier.group, barrier.id, phase}];
  for_threads(lanes, [&](Thread thread) {
    clock.join(clocks_[thread]);
    tick(thread);
  });
}

void PlainOrder::barrier_leave(trace::Site, Lanes lanes, trace::Barrier barrier, trace::Phase phase) {
  const PlainClock& clock = rendezvous_[{false, barrier.group, barrier.id, phase}];
  for_threads(lanes, [&](Thread thread) { clocks_[thread].join(clock); });
}

void PlainOrder::cluster_arrive(trace::Site, Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                                Semantics semantics) {
  PlainClock& clock = rendezvous_[{true, barrier.group, barrier.id, phase}];
  for_threads(lanes, [&](Thread thread) {
    if (releases(semantics)) clock.join(clocks_[thread]);
    for (const Release& fenced : fenced_[thread]) clock.join(fenced.clock);
    tick(thread);
  });
}

void PlainOrder::cluster_leave(trace::Site, Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                               Semantics semantics) {
  const PlainClock& clock = rendezvous_[{true, barrier.group, barrier.id, phase}];
  for_threads(lanes, [&](Thread thread) {
    if (acquires(semantics)) clocks_[thread].join(clock);
    join(pending_[thread], {clock, std::nullopt, Scope::sys});
  });
}

void PlainOrder::mbarrier_init(trace::Site, Thread thread, trace::Address object, std::uint32_t) {
  completed_[object] = 0;
  std::erase_if(phases_, [&](const auto& phase) { return phase.first.first == object; });
  tick(thread);
}

void PlainOrder::mbarrier_arrive(const trace::Arrival& arrival) {
  Releases& phase = phases_[{arrival.object, arrival.phase}];
  const Releases own = released_by(arrival.thread, arrival.strength);
  phase.insert(phase.end(), own.begin(), own.end());
  tick(arrival.thread);
}

void PlainOrder::mbarrier_complete(trace::Address object, trace::Phase phase) {
  completed_[object] = phase + 1;
}

void PlainOrder::mbarrier_wait(const trace::Wait& wait) {
  const trace::Phase completed = completed_[wait.object];
  if (!wait.succeeded || completed == 0) return;
  const Releases& releases = phases_[{wait.object, wait.by_parity ? completed - 1 : wait.expected}];
  for_threads(wait.lanes, [&](Thread thread) { observe(thread, wait.strength, releases); });
}

std::size_t PlainOrder::fly(const trace::Operation& operation) {
  Flight flight;
  flight.issuer = operation.issuer;
  flight.reads = clocks_[operation.issuer];
  const std::size_t reads = agents_++, writes = agents_++;
  flight.reads.set(reads, 1);
  flight.all = flight.reads;
  flight.all.set(writes, 1);
  const std::optional<Scope> strong =
      operation.reduces ? std::optional(strong_scope(operation.strength).value_or(Scope::gpu))
                        : strong_scope(operation.strength);
  for (const trace::Range& bytes : operation.reads)
    touch({reads, flight.reads, operation.site, false, std::nullopt, std::nullopt, bytes});
  for (const trace::Range& bytes : operation.writes)
    touch({writes, flight.all, operation.site, true, strong, std::nullopt, bytes});
  tick(operation.issuer);
  flights_.push_back(std::move(flight));
  return flights_.size() - 1;
}

void PlainOrder::issue(const trace::Operation& operation) {
  const std::size_t number = fly(operation);
  switch (operation.tracking) {
    case trace::Tracking::cp_async:
    case trace::Tracking::bulk_group:
      groups_[{operation.issuer, operation.tracking}].open.push_back(number);
      break;
    case trace::Tracking::mbarrier:
      for (const trace::Signal& signal : operation.signals)
        phases_[{signal.object, signal.phase}].push_back({flights_[number].reads, std::nullopt, Scope::sys});
      phases_[{operation.object, operation.phase}].push_back(
          {flights_[number].all, std::nullopt, Scope::sys});
      break;
    case trace::Tracking::wgmma:
      foreign_ = true;
      break;
    case trace::Tracking::none:
      break;
  }
}

void PlainOrder::commit_group(trace::Site, Thread thread, trace::Tracking tracking) {
  Groups& groups = groups_[{thread, tracking}];
  groups.closed.push_back(std::move(groups.open));
  groups.open.clear();
}

void PlainOrder::wait_group(trace::Site, Thread thread, trace::Tracking tracking, std::uint32_t pending,
                            bool reads_only) {
  Groups& groups = groups_[{thread, tracking}];
  const std::size_t over = groups.closed.size() - std::min<std::size_t>(pending, groups.closed.size());
  for (std::size_t i = 0; i < over; ++i) {
    for (const std::size_t number : groups.closed[i])
      clocks_[thread].join(reads_only ? flights_[number].reads : flights_[number].all);
  }
  if (!reads_only)
    groups.closed.erase(groups.closed.begin(), groups.closed.begin() + static_cast<std::ptrdiff_t>(over));
}

void PlainOrder::cp_async_arrive(const trace::Arrival& arrival) {
  const Groups& groups = groups_[{arrival.thread, trace::Tracking::cp_async}];
  Release all{clocks_[arrival.thread], std::nullopt, Scope::sys};
  for (const std::size_t number : groups.open) all.clock.join(flights_[number].all);
  for (const auto& group : groups.closed) {
    for (const std::size_t number : group) all.clock.join(flights_[number].all);
  }
  phases_[{arrival.object, arrival.phase}].push_back(std::move(all));
  tick(arrival.thread);
}

void PlainOrder::touch(const Touch& touch) {
  const trace::Address end = touch.bytes.begin + touch.bytes.bytes;
  for (trace::Address word = touch.bytes.begin / kWord; word * kWord < end; ++word) {
    std::uint32_t mask = 0;
    for (trace::Address i = 0; i < kWord; ++i) {
      const trace::Address byte = word * kWord + i;
      if (byte >= touch.bytes.begin && byte < end) mask |= std::uint32_t{1} << i;
    }
    std::vector<Seen>& seen = words_[word];
    Seen* own = nullptr;
    for (Seen& one : seen) {
      compare(touch, one, word, mask);
      if (one.agent == touch.agent && one.site == touch.site && one.mask == mask && one.value == touch.value)
        own = &one;
    }
    const Seen now{
        touch.agent, touch.clock.of(touch.agent), mask, touch.site, touch.writes, touch.strong, touch.value,
        touch.bytes};
    if (own != nullptr) {
      *own = now;  // who is after the newest access of an agent is after its older ones
    } else {
      seen.push_back(now);
    }
  }
}

void PlainOrder::compare(const Touch& touch, Seen& seen, trace::Address word, std::uint32_t mask) {
  if (seen.agent == touch.agent || (seen.mask & mask) == 0 || !(seen.writes || touch.writes)) return;
  if (touch.clock.knows(seen.agent, seen.time)) return;
  const bool threads = seen.agent < clocks_.size() && touch.agent < clocks_.size();
  const bool same = seen.bytes.begin == touch.bytes.begin && seen.bytes.bytes == touch.bytes.bytes;
  if (threads && same && seen.strong && touch.strong &&
      meet(*seen.strong, static_cast<Thread>(seen.agent), *touch.strong, static_cast<Thread>(touch.agent)))
    return;                                             // morally strong (8.7.1)
  if (seen.strong && touch.strong && !threads) return;  // reductions, which are at .gpu at least (R134)
  if (seen.writes && touch.writes && seen.value && seen.value == touch.value) return;
  if (known_.insert({seen.site, touch.site}).second) races_.push_back({seen.site, touch.site, word * kWord});
}

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/release_sequences.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace ptxmc::trace {
namespace {

constexpr Address kLongest = 16;                          // bytes of an access
constexpr std::size_t kRefusals = 16;                     // that a thread remembers
constexpr std::size_t kMostPassed = 64;                   // by a chain of relaxed atomics, for causes
constexpr std::size_t kMostRelaxed = 4096;                // locations
constexpr std::size_t kMostLooks = std::size_t{1} << 24;  // for causes, in what other threads observed

/// Who takes the one takes the other, in whatever scope.
bool includes(const ReleaseSequence& more, const ReleaseSequence& less, const Threads& threads) {
  if (more.linked != less.linked || more.bytes != less.bytes) return false;
  return std::all_of(less.deposits.begin(), less.deposits.end(), [&](const ReleaseClock& one) {
    return std::any_of(more.deposits.begin(), more.deposits.end(), [&](const ReleaseClock& other) {
      return other.everywhere == one.everywhere && other.scope == one.scope &&
             other.scope_is_default == one.scope_is_default && other.reaches == one.reaches &&
             threads.place(other.thread).cta == threads.place(one.thread).cta &&
             (other.clock == one.clock || other.clock->covers(*one.clock));
    });
  });
}

ClockRef clock_of(const Snapshot& snapshot) {
  return join(std::span(&snapshot, 1));
}

}  // namespace

void add_deposit(std::vector<ReleaseClock>& deposits, const ReleaseClock& deposit, const Threads& threads) {
  const auto same = std::find_if(deposits.begin(), deposits.end(), [&](const ReleaseClock& other) {
    return other.everywhere == deposit.everywhere && other.scope == deposit.scope &&
           other.scope_is_default == deposit.scope_is_default && other.reaches == deposit.reaches &&
           threads.place(other.thread).cta == threads.place(deposit.thread).cta;
  });
  ReleaseClock last = same == deposits.end() ? deposit : *same;
  last.covers = 0;
  if (same != deposits.end()) {
    last.clock = join(same->clock, deposit.clock);
    last.left_out = join(same->left_out, deposit.left_out);
    if (last.clock == deposit.clock) last.site = deposit.site;
    const auto at = static_cast<std::size_t>(same - deposits.begin());
    deposits.erase(same);
    for (ReleaseClock& other : deposits) other.covers -= other.covers > at ? 1 : 0;
  }
  // A chain of atomics: each has acquired what the one before has, which has all in front of it.
  const std::size_t before = deposits.size();
  if (before != 0 && deposits.back().covers == before - 1 && last.clock->covers(*deposits.back().clock))
    last.covers = before;
  deposits.push_back(last);
}

bool releases(isa::Semantics semantics) {
  return semantics == isa::Semantics::release || semantics == isa::Semantics::acq_rel ||
         semantics == isa::Semantics::sc;
}

bool acquires(isa::Semantics semantics) {
  return semantics == isa::Semantics::acquire || semantics == isa::Semantics::acq_rel ||
         semantics == isa::Semantics::sc;
}

Strength normal(Strength strength) {
  if (strength.semantics == isa::Semantics::volatile_ || strength.semantics == isa::Semantics::mmio)
    return {isa::Semantics::relaxed, isa::Scope::sys};
  return strength;
}

ReleaseSequences::State& ReleaseSequences::state(Thread thread) {
  std::unique_ptr<State>& state = states_[thread];
  if (state == nullptr) state = std::make_unique<State>();
  return *state;
}

ReleaseSequences::State& ReleaseSequences::state_of_reader(Thread thread) {
  State& out = state(thread);
  if (!std::exchange(out.read, true)) readers_.push_back(thread);
  return out;
}

/// What the thread does now.
Epoch ReleaseSequences::now(Thread thread) {
  const Lanes lane = lane_of(thread);
  return {Agent::thread, lane.warp, lane.mask, 0, threads_.stamp(lane.warp)};
}

void ReleaseSequences::refuse(std::vector<Refused>& all, const Refused& one) {
  for (Refused& refused : all) {
    if (refused.release != one.release || refused.acquire != one.acquire || refused.missing != one.missing)
      continue;
    refused.clock = join(refused.clock, one.clock);  // one instruction of many threads
    refused.read = one.read;
    return;
  }
  if (all.size() == kRefusals) all.erase(all.begin());
  all.push_back(one);
}

/// A chain of atomics has as many as CTAs took part: all of an instruction at once.
void ReleaseSequences::add_refused(Refusals& all, Site site, const ClockRef& clock) {
  const auto [at, fresh] = all.try_emplace(site, clock);
  if (!fresh) at->second.join(*clock);
}

void ReleaseSequences::refuse(Lanes lanes, Refusals& all, Site acquire, Missing missing) {
  for (auto& one : all) {
    const ClockRef clock = one.second.take();
    for_threads(lanes, [&](Thread thread) {
      refuse(state_of_reader(thread).refused, {clock, one.first, acquire, now(thread), missing});
    });
  }
}

void ReleaseSequences::tell_unreleased(Thread thread, const ClockRef& known, Site release, Site acquire) {
  refuse(state_of_reader(thread).unreleased, {known, release, acquire, now(thread)});
}

void ReleaseSequences::wait_for_relaxed(Site site, Thread thread, Address at, std::uint8_t bytes) {
  const auto found = relaxed_.find(at);
  if (found == relaxed_.end() || found->second.bytes != bytes) return;
  tell_unreleased(thread, join(found->second.known), found->second.site, site);
  // What was executed before it, whatever memory it orders.
  if (found->second.told != nullptr) threads_.learn(thread, found->second.told);
}

void ReleaseSequences::observe(Site site, Thread thread, Address at, const MessageRef& message) {
  std::vector<Observed>& observed = state_of_reader(thread).observed;
  const auto known = [&](const Observed& o) { return o.at == at && o.message == message; };
  if (std::any_of(observed.begin(), observed.end(), known)) return;
  const ClockRef& own = threads_.clock(thread);
  const auto taken = [&](const Observed& o) {  // already: a fence would add nothing
    const auto behind = [&](const ReleaseClock& d) { return own != nullptr && own->covers(*d.clock); };
    return std::all_of(o.message->deposits.begin(), o.message->deposits.end(), behind);
  };
  std::erase_if(observed, taken);
  // Atomics pass on what they take: who reads by them again and again has observed the last one alone.
  std::erase_if(observed,
                [&](const Observed& o) { return o.at == at && includes(*message, *o.message, threads_); });
  observed.push_back({at, message, site, now(thread)});
}

/// A7: an arrival at the object of another CTA, or the wait for it, whose scope is .cta for want of a word.
bool ReleaseSequences::is_remote(const ReleaseClock& deposit, const Placement& here, By by) const {
  const bool wide = by == By::wait_of_default_scope && deposit.scope >= isa::Scope::cluster;
  return (deposit.scope_is_default || wide) && threads_.place(deposit.thread).cluster == here.cluster;
}

bool ReleaseSequences::acquire(Site site, Lanes lanes, isa::Scope scope, const MessageRef& message, By by) {
  const Placement& here = threads_.place_of_warp(lanes.warp);
  if (by != By::restricted_fence && joined_.message == message && joined_.scope == scope &&
      joined_.gpu == here.gpu) {
    threads_.learn(lanes, joined_.clock);
    return true;
  }
  ClockRef taken;  // of many, all at once: a chain of atomics has as many as CTAs took part
  std::optional<ClockEdit> joined;
  Refusals refused, left_out;
  bool all = true;
  for (std::size_t left = message->deposits.size(); left != 0;) {
    const ReleaseClock& deposit = message->deposits[--left];
    PTXMC_CHECK(deposit.covers <= left, "a deposit covers none after it");
    const bool waits = by == By::wait || by == By::wait_of_default_scope;
    if (deposit.everywhere || (deposit.reaches && waits) ||
        include_each_other(deposit.scope, threads_.place(deposit.thread), scope, here)) {
      if (deposit.covers == left) left = 0;  // it has all that are left
      if (deposit.left_out != nullptr) add_refused(left_out, deposit.site, deposit.left_out);
      if (by == By::restricted_fence) add_refused(left_out, deposit.site, deposit.clock);
      if (taken == nullptr) {
        taken = deposit.clock;
        continue;
      }
      if (!joined) joined.emplace(taken);
      joined->join(*deposit.clock);
    } else {
      all = false;
      add_refused(refused, deposit.site, deposit.clock);
      if (is_remote(deposit, here, by)) threads_.learn(lanes, narrowed(deposit.clock, OrderKind::remote));
    }
  }
  refuse(lanes, refused, site);
  refuse(lanes, left_out, site, Missing::state_space);
  if (joined) taken = joined->take();
  if (taken != nullptr) threads_.learn(lanes, by == By::restricted_fence ? of_shared_memory(taken) : taken);
  const auto of_gpu = [](const ReleaseClock& deposit) {
    return deposit.everywhere || (deposit.scope >= isa::Scope::gpu && !deposit.reaches);
  };
  if (joined && all && by != By::restricted_fence && scope >= isa::Scope::gpu &&
      std::all_of(message->deposits.begin(), message->deposits.end(), of_gpu))
    joined_ = {message, scope, here.gpu, taken};
  return all;
}

MessageRef ReleaseSequences::take(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
                                  isa::Proxy proxy) {
  const auto found = release_sequences_.find(at);
  if (found == release_sequences_.end() || found->second->bytes != bytes) return nullptr;
  const MessageRef& message = found->second;
  const bool wide = std::min(message->strength.scope, strength.scope) >= isa::Scope::gpu;
  if (include_each_other(
          message->strength.scope, threads_.place(message->writer), strength.scope,
          threads_.place(thread)) &&  // 8.9.2: observation is morally strong, or (8.6.1) across proxies
      (message->proxy == proxy || (cross_ && wide)))
    return message;
  Refusals refused;
  for (const ReleaseClock& deposit : message->deposits) add_refused(refused, deposit.site, deposit.clock);
  refuse(lane_of(thread), refused, site);
  return nullptr;
}

void ReleaseSequences::learn_seen(Site site, Thread thread, const ClockRef& seen) {
  threads_.learn(thread, seen);
  std::vector<Seen>& all = state_of_reader(thread).seen;
  std::erase_if(all, [&](const Seen& one) { return one.site == site; });
  if (all.size() == kRefusals) all.erase(all.begin());
  all.push_back({seen, site, now(thread)});
}

/// No thread reads from a write that it comes before, be they morally strong or not (8.10.6).
void ReleaseSequences::learn_seen(Site site, Thread thread, Address at, std::uint8_t bytes) {
  const auto found = release_sequences_.find(at);
  if (found != release_sequences_.end() && found->second->bytes == bytes && found->second->seen != nullptr)
    learn_seen(site, thread, found->second->seen);
}

void ReleaseSequences::read_weak(Site site, Thread thread, Address at, std::uint8_t bytes) {
  if (sequential_.any()) learn_seen(site, thread, at, bytes);
}

bool ReleaseSequences::write_weak(Thread thread, Address at, std::uint8_t bytes) {
  if (!sequential_.any()) return false;
  auto message = std::make_shared<ReleaseSequence>();
  message->writer = thread;
  message->bytes = bytes;
  message->seen = sequential_.told_by_write(thread);
  release_sequences_[at] = std::move(message);
  return true;
}

MessageRef ReleaseSequences::read(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
                                  Observes how) {
  const MessageRef message =
      release_sequences_.empty() ? nullptr : take(site, thread, at, bytes, strength, how.proxy);
  if (message == nullptr && how.always && sequential_.any()) learn_seen(site, thread, at, bytes);
  read(site, thread, at, bytes, strength, how.always ? message : nullptr, how);
  return message;
}

void ReleaseSequences::read(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
                            const MessageRef& message, Observes how) {
  if (message != nullptr) {
    if (how.patterns) observe(site, thread, at, message);
    threads_.tensor().signal(thread, message->sent);
    if (message->seen != nullptr) learn_seen(site, thread, message->seen);
  }
  if (how.waits && !relaxed_.empty()) wait_for_relaxed(site, thread, at, bytes);
  if (!acquires(strength.semantics) || states_[thread] == nullptr) return;
  // Its earlier strong reads of the location make an acquire pattern with this one, too (8.8).
  const std::vector<Observed> observed = state(thread).observed;
  for (const Observed& one : observed) {
    if (one.at == at && one.message->linked && one.message->bytes == bytes)
      acquire(site, lane_of(thread), strength.scope, one.message);
  }
}

std::vector<ReleaseClock> ReleaseSequences::own(Site site, Thread thread, Address at, Strength strength,
                                                bool in_order) const {
  std::vector<ReleaseClock> out;
  add_fenced(thread, out);
  if (const auto before = released_.find(at); in_order && before != released_.end()) {
    for (const ReleaseClock& deposit : before->second) {
      if (deposit.thread == thread) add_deposit(out, deposit, threads_);
    }
  }
  if (releases(strength.semantics))
    add_deposit(out, {clock_of(released(thread)), thread, strength.scope, site}, threads_);
  return out;
}

bool ReleaseSequences::write(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
                             const MessageRef& taken, Writes how) {
  auto message = std::make_shared<ReleaseSequence>();
  message->strength = strength;
  message->proxy = how.proxy;
  message->writer = thread;
  message->bytes = bytes;
  if (taken != nullptr) message->deposits = taken->deposits;
  for (const ReleaseClock& deposit : own(site, thread, at, strength, how.in_order))
    add_deposit(message->deposits, deposit, threads_);
  if (releases(strength.semantics) && how.in_order) {
    const ReleaseClock deposit{clock_of(released(thread)), thread, strength.scope, site};
    std::vector<ReleaseClock>& here = released_[at];
    std::erase_if(here,
                  [&](const ReleaseClock& d) { return d.thread == thread && d.scope == deposit.scope; });
    here.push_back(deposit);
  }
  if (sequential_.any())
    message->seen = join(taken == nullptr ? nullptr : taken->seen, seen_by_write(thread));
  message->sent = join(taken == nullptr ? nullptr : taken->sent, threads_.tensor().sent(thread));
  if (message->deposits.empty() && message->seen == nullptr && message->sent == nullptr) return false;
  release_sequences_[at] = std::move(message);
  return true;
}

void ReleaseSequences::note_relaxed(Site site, Thread thread, Address at, std::uint8_t bytes,
                                    Strength strength, bool updates) {
  if (releases(strength.semantics)) {
    if (!updates) relaxed_.erase(at);
    return;
  }
  if (relaxed_.size() >= kMostRelaxed && !relaxed_.contains(at)) return;
  Relaxed& relaxed = relaxed_[at];
  if (!updates || relaxed.bytes != bytes) {
    relaxed.known.clear();
    relaxed.told = nullptr;
  }
  relaxed.told = join(relaxed.told, threads_.told_by_execution(lane_of(thread)));
  if (relaxed.known.size() < kMostPassed) relaxed.known.push_back(threads_.snapshot(thread));
  relaxed.site = site;
  relaxed.bytes = bytes;
}

void ReleaseSequences::erase(Address begin, std::uint64_t bytes) {
  relaxed_.erase(begin);
  for (Address at = begin < kLongest ? 0 : begin - kLongest + 1; at < begin + bytes; ++at) {
    const auto found = release_sequences_.find(at);
    if (found != release_sequences_.end() && at + found->second->bytes > begin)
      release_sequences_.erase(found);
  }
}

void ReleaseSequences::add_fenced(Thread thread, std::vector<ReleaseClock>& deposits) const {
  if (states_[thread] == nullptr) return;
  for (const std::optional<ReleaseClock>& deposit : states_[thread]->fenced) {
    if (deposit) add_deposit(deposits, *deposit, threads_);
  }
  if (states_[thread]->fenced_shared) add_deposit(deposits, *states_[thread]->fenced_shared, threads_);
}

ClockRef ReleaseSequences::fenced_for_gpu(Thread thread) const {
  std::vector<ReleaseClock> deposits;
  add_fenced(thread, deposits);
  ClockRef out;
  for (const ReleaseClock& deposit : deposits) {
    if (deposit.scope >= isa::Scope::gpu) out = join(out, deposit.clock);
  }
  return out;
}

/// 9.7.12.4: it tells of itself; restricted_fences.h has what it stands after.
ReleaseClock ReleaseSequences::of_restricted_fence(Site site, Thread thread, isa::Scope scope) const {
  const Snapshot here = threads_.snapshot(thread);
  ClockEdit edit(nullptr);
  edit.plane(OrderKind::restricted).threads[0].raise(lane_of(thread), here.time);
  ReleaseClock out{edit.take(), thread, scope, site};
  out.left_out = clock_of(here);
  return out;
}

void ReleaseSequences::fence(Site site, Lanes lanes, Strength strength, isa::Space memory) {
  const bool restricted = memory != isa::Space::generic;
  const By by = restricted ? By::restricted_fence : By::other;
  const bool sequential = strength.semantics == isa::Semantics::sc;
  if (acquires(strength.semantics)) {
    for_threads(lanes, [&](Thread thread) {
      const std::vector<Observed> observed = state(thread).observed;
      for (const Observed& one : observed) acquire(site, lane_of(thread), strength.scope, one.message, by);
    });
  }
  if (sequential) sequential_.order(lanes, strength.scope);
  if (releases(strength.semantics)) {
    for_threads(lanes, [&](Thread thread) {
      if (restricted) {
        state(thread).fenced_shared = of_restricted_fence(site, thread, strength.scope);
        return;
      }
      state(thread).fenced[static_cast<std::size_t>(strength.scope)] =
          ReleaseClock{clock_of(threads_.snapshot(thread)), thread, strength.scope, site};
    });
  }
  if (sequential) sequential_.add(site, lanes, strength.scope);
  if (releases(strength.semantics)) threads_.tick(lanes.warp);
}

bool ReleaseSequences::has_seen(Thread thread, Address at, const Epoch& epoch) const {
  if (states_[thread] == nullptr) return false;
  const auto covers = [&](const ReleaseClock& deposit) {
    return deposit.clock->covers(OrderKind::base, epoch);
  };
  const std::vector<Observed>& observed = states_[thread]->observed;
  return std::any_of(observed.begin(), observed.end(), [&](const Observed& one) {
    return one.at == at && std::any_of(one.message->deposits.begin(), one.message->deposits.end(), covers);
  });
}

/// The cause by what the reader met; the thread is it, or comes after it.
std::optional<Cause> ReleaseSequences::why_observed(const State& state, Thread reader, Thread thread,
                                                    const Epoch& epoch) const {
  const auto is_behind = [&](const Epoch& read) {
    return reader == thread || threads_.knows(thread, OrderKind::base, read);
  };
  for (const Refused& refused : state.refused) {
    if (refused.clock->covers(OrderKind::base, epoch) && is_behind(refused.read))
      return Cause{refused.missing, isa::Proxy::generic, refused.release, refused.acquire};
  }
  for (const Observed& observed : state.observed) {
    if (!is_behind(observed.read)) continue;
    for (const ReleaseClock& deposit : observed.message->deposits) {
      if (!deposit.clock->covers(OrderKind::base, epoch)) continue;
      if (deposit.everywhere)
        return Cause{Missing::acquire, isa::Proxy::generic, std::nullopt, observed.site};
      // An acquire of the widest scope would not take it.
      const bool narrow = !include_each_other(deposit.scope, threads_.place(deposit.thread), isa::Scope::sys,
                                              threads_.place(reader));
      return Cause{narrow ? Missing::scope : Missing::acquire, isa::Proxy::generic, deposit.site,
                   observed.site};
    }
  }
  return std::nullopt;
}

std::optional<Cause> ReleaseSequences::unacquired(Thread thread, const Epoch& epoch) const {
  const State* state = states_[thread].get();
  return state == nullptr ? std::nullopt : why_observed(*state, thread, thread, epoch);
}

std::optional<Cause> ReleaseSequences::why(Thread reader, Thread thread, const Epoch& epoch) const {
  const State* state = states_[reader].get();
  if (state == nullptr) return std::nullopt;
  if (std::optional<Cause> cause = why_observed(*state, reader, thread, epoch)) return cause;
  for (const Seen& seen : state->seen) {
    const Sequential::Fence* told = sequential_.told_of(*seen.clock, epoch);
    if (told == nullptr || (reader != thread && !threads_.knows(thread, OrderKind::base, seen.read)))
      continue;
    const Sequential::Fence* behind = sequential_.behind(reader, *told);
    if (behind == nullptr) behind = sequential_.behind(thread, *told);
    const bool narrow = !include_each_other(told->scope, threads_.place_of_warp(epoch.warp), isa::Scope::sys,
                                            threads_.place(reader));
    return Cause{narrow || behind != nullptr ? Missing::scope : Missing::sequential_fence,
                 isa::Proxy::generic, told->site, behind != nullptr ? behind->site : seen.site};
  }
  for (const Refused& one : state->unreleased) {
    if (one.clock->covers(OrderKind::base, epoch) &&
        (reader == thread || threads_.knows(thread, OrderKind::base, one.read)))
      return Cause{Missing::release, isa::Proxy::generic, one.release, one.acquire};
  }
  return std::nullopt;
}

std::optional<Cause> ReleaseSequences::why(Thread thread, const Epoch& epoch) const {
  std::optional<Cause> out = why(thread, thread, epoch);
  for (auto reader = readers_.begin(); !out && reader != readers_.end() && looks_ < kMostLooks; ++reader) {
    if (*reader != thread) out = why(*reader, thread, epoch);
    ++looks_;
  }
  return out;
}

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
// ReleaseSequences: what a strong write tells any thread that observes it (8.8, 8.9.2). A release deposits its clock
// with its scope; an acquire takes those whose scope and its own include each other's threads (8.9.4). Fences
// deposit and take for the strong accesses after and before them; atomics pass on what they read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dynamic/order/finding.h"
#include "dynamic/order/sequential.h"
#include "dynamic/order/threads.h"

namespace ptxmc::trace {

/// One release.
struct ReleaseClock {
  ClockRef clock;
  Thread thread = 0;  // that released
  isa::Scope scope = isa::Scope::none;
  Site site = 0;
  // the completion of operations: each wait for the phase takes it, and no thread released
  bool everywhere = false;
  bool scope_is_default = false;  // of an arrival: none was written
  bool reaches = false;           // of an arrival: each wait for its phase [reading remote-arrive]
  /// What a fence with .sync_restrict would release, were it one of all memory (9.7.12.4); null: of another release.
  ClockRef left_out = nullptr;
  std::size_t covers = 0;  // of those in front of it in a message, as many of the first: its clock has theirs
};

struct ReleaseSequence {
  Strength strength;
  Thread writer = 0;
  std::uint8_t bytes = 0;
  bool linked = true;                      // false: of a phase, whose meeting no scope bounds
  isa::Proxy proxy = isa::Proxy::generic;  // of the write
  std::vector<ReleaseClock> deposits;
  ClockRef sent;  // of tensor memory, for any thread that observes it before an after-fence (9.7.16.6.3)
  ClockRef seen;  // what came before it, and before the atomics that it passes on; null: no fence.sc
};
using MessageRef = std::shared_ptr<const ReleaseSequence>;

/// Releases of one scope in one thread block are taken by the same threads, so they are one deposit.
void add_deposit(std::vector<ReleaseClock>& deposits, const ReleaseClock& deposit, const Threads& threads);
bool releases(isa::Semantics semantics);
bool acquires(isa::Semantics semantics);
/// volatile and mmio are relaxed, at .sys (8.4).
Strength normal(Strength strength);

class ReleaseSequences {
 public:
  /// `cross`: strong accesses through the generic and the async proxy observe each other (8.6.1).
  ReleaseSequences(Threads& threads, bool cross) : threads_(threads), cross_(cross), sequential_(threads) {}
  /// An atomic of the thread reads and writes until the end: it releases what is known here.
  void begin_atomic(Thread thread) { before_atomic_ = threads_.snapshot(thread); }
  void end_atomic() { before_atomic_.reset(); }
  void start() {
    states_.resize(threads_.warps() * kLanes);
    sequential_.start();
  }

  /// `memory`: the state space whose accesses it orders (.sync_restrict); generic: all of them.
  void fence(Site site, Lanes lanes, Strength strength, isa::Space memory);
  /// What a read may do with what it observes.
  struct Observes {
    bool always = true;    // it does so in all schedules
    bool patterns = true;  // it may begin an acquire pattern (8.8)
    bool waits = false;    // a loop that waits is left by it
    isa::Proxy proxy = isa::Proxy::generic;
  };
  /// Which write it is, beside its place and strength.
  struct Writes {
    isa::Proxy proxy = isa::Proxy::generic;
    /// Not an asynchronous one, which is not in program order: releases of the location before it are no patterns with it (8.8).
    bool in_order = true;
  };
  /// A strong read of a location takes what was written there last. Gives that message, if the two are morally strong.
  MessageRef read(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength, Observes how);
  /// The same where it is known what it observes: the message, or null.
  void read(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
            const MessageRef& message, Observes how);
  /// What a strong write leaves of its own: the releases of its thread.
  std::vector<ReleaseClock> own(Site site, Thread thread, Address at, Strength strength,
                                bool in_order = true) const;
  /// A strong write; `taken` is what it read, if it is an atomic. Does it leave a message?
  bool write(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
             const MessageRef& taken, Writes how = {isa::Proxy::generic, true});
  /// The same of one that may release nothing; after an atomic (`updates`) others still observe what it read.
  void note_relaxed(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
                    bool updates);
  /// Weak accesses pass on nothing but the order of fence.sc, of any thread that sees that one was executed.
  void read_weak(Site site, Thread thread, Address at, std::uint8_t bytes);
  bool write_weak(Thread thread, Address at, std::uint8_t bytes);
  /// What a write of the thread tells of the order of fence.sc (ReleaseSequence::seen).
  ClockRef seen_by_write(Thread thread) const {
    return sequential_.any() ? sequential_.told_by_write(thread) : nullptr;
  }
  /// An access at a location whose order is given (Sequential::take_turn).
  void take_turn(Thread thread, Address at, bool writes) { sequential_.take_turn(thread, at, writes); }
  /// Some thread has executed a fence.sc.
  bool sequential() const { return sequential_.any(); }
  void erase(Address begin, std::uint64_t bytes);

  /// The thread has waited for what another one did when it knew this, and did not release.
  void tell_unreleased(Thread thread, const ClockRef& known, Site release, Site acquire);

  /// What release fences of the thread give to a write or an arrival after them.
  void add_fenced(Thread thread, std::vector<ReleaseClock>& deposits) const;
  /// What such fences of scope gpu and wider give to whatever the thread starts; null: there are none.
  ClockRef fenced_for_gpu(Thread thread) const;
  /// It was observed; acquire fences after it take it.
  void observe(Site site, Thread thread, Address at, const MessageRef& message);
  /// An asynchronous operation observed it, and the thread its completion; the same.
  void observe_completed(Site site, Thread thread, const MessageRef& message) {
    observe(site, thread, kNoPlace, message);
  }
  /// What acquires: anything else than a wait for the phase whose message it is, or such a wait, whose scope was written
  /// or not; or a fence with .sync_restrict.
  enum class By : std::uint8_t { other, wait, wait_of_default_scope, restricted_fence };
  /// Was all of it taken?
  bool acquire(Site site, Lanes lanes, isa::Scope scope, const MessageRef& message, By by = By::other);

  /// It has read there what was written then, or later: it reads no older value (8.10.5).
  bool has_seen(Thread thread, Address at, const Epoch& epoch) const;
  /// Why an epoch is not known to a thread that met a release which knew it.
  std::optional<Cause> unacquired(Thread thread, const Epoch& epoch) const;
  /// Why an epoch is not known to a thread though it, or one that it comes after, met a release that knew it,
  /// or read what stands after a fence.sc that did, or waited for what released nothing.
  std::optional<Cause> why(Thread thread, const Epoch& epoch) const;

 private:
  static constexpr Address kNoPlace = 0;  // no later access of the thread is there
  struct Observed {
    Address at = 0;
    MessageRef message;
    Site site = 0;
    Epoch read;
  };
  struct Refused {
    ClockRef clock;
    Site release = 0, acquire = 0;
    Epoch read;
    Missing missing = Missing::scope;
  };
  /// What a read tells of the order of fence.sc (ReleaseSequence::seen).
  struct Seen {
    ClockRef clock;
    Site site = 0;
    Epoch read;
  };
  /// A strong write that is no release, and what was known before it, and before the atomics that it passes on.
  struct Relaxed {
    std::vector<Snapshot> known;
    ClockRef told;
    Site site = 0;
    std::uint8_t bytes = 0;
  };
  struct State {
    std::array<std::optional<ReleaseClock>, 5> fenced;  // by isa::Scope
    std::optional<ReleaseClock> fenced_shared;          // .sync_restrict::shared::cta
    std::vector<Observed> observed;
    std::vector<Refused> refused;
    std::vector<Seen> seen;
    std::vector<Refused> unreleased;
    bool read = false;  // it is one of readers_
  };
  State& state(Thread thread);
  State& state_of_reader(Thread thread);
  void learn_seen(Site site, Thread thread, const ClockRef& seen);
  void learn_seen(Site site, Thread thread, Address at, std::uint8_t bytes);
  MessageRef take(Site site, Thread thread, Address at, std::uint8_t bytes, Strength strength,
                  isa::Proxy proxy);
  Snapshot released(Thread thread) const {
    return before_atomic_ ? *before_atomic_ : threads_.snapshot(thread);
  }
  ReleaseClock of_restricted_fence(Site site, Thread thread, isa::Scope scope) const;
  bool is_remote(const ReleaseClock& deposit, const Placement& here, By by) const;
  /// Deposits that are not taken, by where they were released.
  using Refusals = std::map<Site, ClockEdit>;
  static void add_refused(Refusals& all, Site site, const ClockRef& clock);
  void refuse(Lanes lanes, Refusals& all, Site acquire, Missing missing = Missing::scope);
  void refuse(std::vector<Refused>& all, const Refused& one);
  void wait_for_relaxed(Site site, Thread thread, Address at, std::uint8_t bytes);
  Epoch now(Thread thread);
  std::optional<Cause> why(Thread reader, Thread thread, const Epoch& epoch) const;
  std::optional<Cause> why_observed(const State& state, Thread reader, Thread thread,
                                    const Epoch& epoch) const;

  /// The last of a message with many releases that a whole GPU takes: what all who acquire it learn.
  struct Joined {
    MessageRef message;
    isa::Scope scope = isa::Scope::none;
    std::uint32_t gpu = 0;
    ClockRef clock;
  };

  Threads& threads_;
  bool cross_ = true;
  std::optional<Snapshot> before_atomic_;
  Joined joined_;
  Sequential sequential_;
  std::unordered_map<Address, MessageRef> release_sequences_;
  std::unordered_map<Address, Relaxed> relaxed_;  // the newest writes, of so many locations
  /// The last release of a thread at a location: a release pattern with its later writes there (8.8).
  std::unordered_map<Address, std::vector<ReleaseClock>> released_;
  std::vector<std::unique_ptr<State>> states_;  // by thread; null: no fence, nothing observed
  std::vector<Thread> readers_;                 // that observed something, or might have
  mutable std::size_t looks_ = 0;               // at what other threads observed
};

}  // namespace ptxmc::trace

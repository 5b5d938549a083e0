// SPDX-License-Identifier: Apache-2.0
// Which writes let a loop go on in all schedules (dynamic/await/flags.h).
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

constexpr Strength kRelease = strong(Semantics::release), kAcquire = strong(Semantics::acquire),
                   kBoth = strong(Semantics::acq_rel), kRelaxed = strong(Semantics::relaxed);

constexpr std::array<Range, 1> kBytesBehind{{{kFlag + 2, 16}}};

/// A run whose flag is watched: what it says of the loop, and what it found.
class Watched {
 public:
  explicit Watched(const TakenMap* taken = nullptr, std::vector<std::uint32_t> ctas = {0, 1, 2})
      : detector({.flags = {{kFlag, {4, 0}}}, .taken = taken}) {
    std::vector<Placement> places;
    for (const std::uint32_t cta : ctas) places.push_back({cta, cta, 0, 0});
    detector.start(places);
  }
  Detector detector;

  void data(unsigned warp, Effect effect) { detector.access(made(warp, effect, kX, {})); }
  void store(unsigned warp, std::uint64_t value, Strength strength = kRelease) {
    Access access = made(warp, Effect::write, kFlag, strength);
    row_[0] = value;
    access.written = row_;
    detector.access(access);
  }
  void add(unsigned warp, std::uint64_t value, Strength strength = kBoth, bool decides = false) {
    Access access = made(warp, Effect::update, kFlag, strength);
    access.decides = decides;
    row_[0] = value;
    const Rewrites rewrites{{[](const isa::Modifiers&, std::uint64_t old, std::uint64_t by, std::uint64_t) {
                               return std::optional(old + by);
                             },
                             &modifiers_},
                            row_,
                            row_};
    access.rewrites = &rewrites;
    detector.access(access);
  }
  /// The loop is left for a place that `where` tells; 0: it waits on.
  template <typename Where>
  void poll(unsigned warp, Where where, Strength strength = kAcquire, Effect effect = Effect::read) {
    Access access = made(warp, effect, kFlag, strength);
    const Polling polls{
        ~std::uint32_t{0}, [where](unsigned, std::span<const PartlyKnown> values) {
          const std::size_t place = where(static_cast<std::uint64_t>(values[0].bits));
          return Leads{place == 0 ? std::nullopt : std::optional(place), ~values[0].known == 0};
        }};
    access.polls = &polls;
    detector.access(access);
  }
  void await(unsigned warp, std::uint64_t value, Strength strength = kAcquire, Effect effect = Effect::read) {
    poll(
        warp, [value](std::uint64_t now) { return std::size_t{now == value}; }, strength, effect);
  }
  /// A strong read that nobody waits by, and a weak write of the flag.
  void look(unsigned warp) {
    Access access = made(warp, Effect::read, kFlag, kRelaxed);
    access.decides = false;
    detector.access(access);
  }
  /// One whose place among the writes counts.
  void turn(unsigned warp, Strength strength, std::size_t passes = 0) {
    Access access = made(warp, Effect::read, kFlag, strength);
    access.contends = true;
    access.passing = passes == 0 ? 0 : 1;
    access.passes = passes;
    detector.access(access);
  }
  void reset(unsigned warp) { detector.access(made(warp, Effect::write, kFlag, {})); }
  bool exact() const { return detector.flags().open.empty() && detector.flags().settled; }

 private:
  Access made(unsigned warp, Effect effect, Address at, Strength strength) {
    begin_[0] = at;
    return {++line_, {warp, 1}, effect, Proxy::generic, strength, 4, 1, begin_, {}};
  }
  Site line_ = 0;
  std::array<Address, kLanes> begin_{};
  std::array<std::uint64_t, kLanes> row_{};
  isa::Modifiers modifiers_;
};

}  // namespace

TEST_CASE("one write of the value lets the loop go on") {
  Watched w;
  w.store(0, 1);
  w.await(1, 1);
  CHECK(w.exact());
}

TEST_CASE("a loop that only one value lets go on takes that, and behind it nothing rests on timing") {
  const auto values = [](std::uint64_t later, std::uint64_t awaited) {
    Watched w;
    w.store(0, 7);
    w.store(0, later);
    w.poll(1, [awaited](std::uint64_t now) { return std::size_t{now >= awaited}; });
    CHECK(w.detector.flags().open.empty());
    return w.detector.flags().one_value;
  };
  CHECK(values(7, 1) == std::set<Address>{kFlag});
  CHECK(values(9, 8) == std::set<Address>{kFlag});
  CHECK(values(9, 1).empty());  // 7 or 9
}

TEST_CASE("two unordered writes of it: neither is taken in all schedules") {
  Watched w;
  w.store(0, 1);
  w.store(2, 1);
  w.await(1, 1);
  CHECK(w.detector.flags().open.empty());
  CHECK_FALSE(w.exact());
}

TEST_CASE("a write that may take the value away: the loop may wait for ever") {
  Watched w;
  w.store(0, 1);
  w.await(1, 1);
  w.store(2, 0);
  CHECK(w.detector.flags().open.size() == 1);
}

TEST_CASE("a write behind the loop is none of its business") {
  Watched w;
  w.store(0, 1);
  w.await(1, 1);
  w.store(1, 0);
  CHECK(w.exact());
}

TEST_CASE("a counter: the last of equal additions, whoever comes last") {
  for (const std::uint64_t awaited : {std::uint64_t{1}, std::uint64_t{2}}) {
    Watched w;
    w.add(0, 1);
    w.add(2, 1);
    w.poll(1, [awaited](std::uint64_t now) { return std::size_t{now >= awaited}; });
    CHECK(w.exact() == (awaited == 2));
  }
}

TEST_CASE("additions of one thread block's scope are not observed by another: not followed") {
  Watched w;
  w.add(0, 1, strong(Semantics::acq_rel, Scope::cta));
  w.await(1, 1);
  CHECK_FALSE(w.exact());
}

TEST_CASE("a write of some of its bytes: not followed") {
  Watched w;
  w.store(0, 1);
  w.detector.issue({99, 0, Proxy::async, Tracking::bulk_group, 0, 0, {}, kBytesBehind, false});
  w.await(1, 1);
  CHECK(w.detector.flags().open.size() == 1);
}

TEST_CASE("a loop that is not followed takes what it reads in this run") {
  constexpr std::uint64_t kMany = 3000;  // more than are followed
  for (const Effect effect : {Effect::read, Effect::update}) {
    Watched w;
    w.data(0, Effect::write);
    for (std::uint64_t i = 0; i < kMany; ++i) w.add(0, 1);
    w.await(1, kMany, effect == Effect::read ? kAcquire : kBoth, effect);
    w.data(1, Effect::read);
    CHECK(w.detector.flags().open.size() == 1);
    CHECK(w.detector.findings().empty());
    w.await(2, kMany, kBoth, Effect::update);
    w.data(2, Effect::read);
    CHECK(w.detector.findings().empty());
  }
}

TEST_CASE("a loop that reads by an atomic, which writes what it reads") {
  Watched w;
  w.store(0, 1);
  w.await(1, 1, kAcquire, Effect::update);
  CHECK(w.exact());
  CHECK(w.detector.findings().empty());
}

TEST_CASE(
    "of two loops that read by atomics either may be the first: what one releases, the other need not take") {
  Watched w;
  w.data(1, Effect::write);
  w.store(0, 1);
  w.await(1, 1, kBoth, Effect::update);
  w.await(2, 1, kBoth, Effect::update);
  w.data(2, Effect::read);
  CHECK(w.exact());
  CHECK(w.detector.findings().size() == 1);
}

TEST_CASE("nor is it behind the other's atomic, which is a write of the flag") {
  for (const Effect effect : {Effect::read, Effect::update}) {
    Watched w;
    w.store(0, 1);
    w.await(1, 1, kAcquire, effect);
    w.await(2, 1, kAcquire, effect);
    w.reset(2);
    CHECK(w.detector.findings().size() == 1);
  }
  Watched w;
  w.store(0, 1);
  w.await(1, 1, kAcquire, Effect::update);
  w.reset(1);
  CHECK(w.detector.findings().empty());
}

TEST_CASE("who observes a write is behind it, and not behind what its thread read before (8.9.5)") {
  for (const bool looks : {false, true}) {
    Watched w;
    if (looks) w.look(0);
    w.add(0, 1, kRelaxed);
    w.await(1, 1);
    w.reset(1);
    CHECK(w.detector.findings().size() == (looks ? 1 : 0));
  }
}

TEST_CASE("what an atomic acquires itself is no order before it") {
  Watched w;
  w.add(0, 1);
  w.add(1, 1, kBoth, true);
  const auto before = w.detector.before(kFlag);
  REQUIRE(before);
  CHECK_FALSE(before->at(1).at(0));
  w.add(1, 1);
  CHECK(w.detector.before(kFlag)->at(2).at(0));
}

TEST_CASE("a read whose place counts is a turn: what is known before and behind it") {
  Watched w;
  w.store(0, 1, kRelaxed);
  w.turn(1, kAcquire);
  w.store(1, 2);
  w.turn(2, kAcquire);
  w.turn(2, kRelaxed);
  const auto before = w.detector.before(kFlag);
  REQUIRE(before);
  REQUIRE(before->size() == 5);
  CHECK_FALSE(before->at(1).at(0));  // what it observes itself is no reason why it could not be earlier
  CHECK(before->at(2).at(1));
  CHECK_FALSE(before->at(3).at(2));
  CHECK(before->at(4).at(2));
  CHECK(before->at(4).at(1));
  CHECK(w.detector.decided_by().contains(kFlag));
  CHECK_FALSE(w.detector.contended().contains(kFlag));
}

TEST_CASE(
    "a loop does not read what was there before a write that its thread has read in its turn (8.10.6)") {
  const auto exact = [](bool has_turn) {
    Watched w;
    w.data(0, Effect::write);
    w.store(0, 1, kRelaxed);
    if (has_turn) w.turn(1, kRelaxed);
    w.store(0, 0);
    w.await(1, 0);
    w.data(1, Effect::read);
    return w.exact();
  };
  CHECK(exact(true));
  CHECK_FALSE(exact(false));  // 0 is what was there at first, too
}

TEST_CASE("turns have numbers among those at all locations, and come behind some of them") {
  Watched w;
  w.store(0, 1);
  w.turn(1, kAcquire);
  w.store(1, 2);
  const auto turns = w.detector.numbered(kFlag);
  REQUIRE(turns);
  REQUIRE(turns->size() == 3);
  CHECK(turns->at(2).number == 2);
  CHECK(turns->at(1).behind == std::vector<bool>{false});
  CHECK(turns->at(2).behind == std::vector<bool>{true, true});
}

TEST_CASE("a read takes what the last of the writes releases that it does not pass") {
  const auto races = [](std::size_t passes) {
    Watched w;
    w.data(0, Effect::write);
    w.store(0, 1);
    w.store(2, 2, kRelaxed);
    w.turn(1, kAcquire, passes);
    w.data(1, Effect::read);
    return !w.detector.findings().empty();
  };
  CHECK(races(0));
  CHECK_FALSE(races(1));
  CHECK(races(2));
}

TEST_CASE("a read of a narrow scope: nothing is known of the turns") {
  Watched w;
  w.store(0, 1);
  w.turn(1, strong(Semantics::acquire, Scope::cta));
  CHECK_FALSE(w.detector.before(kFlag));
}

TEST_CASE("a turn behind a loop that was left: is it behind the write, too?") {
  struct Way {
    Strength flag = kRelaxed, seen = kRelaxed;
    bool fence = false;     // of the loop's thread
    bool by_other = false;  // the turn is of a thread that the loop's one has met
    bool polls = true;
    bool before = false;  // the turn is in front of the loop
  };
  const auto passes = [](const Way& way) {
    Watched w;
    const auto turn = [&](unsigned warp) { w.store(warp, 2, kRelaxed); };
    w.store(0, 1, way.flag);
    if (way.before) turn(1);
    if (way.polls)
      w.poll(
          1, [](std::uint64_t now) { return std::size_t{now != 0}; }, way.seen);
    if (way.fence) w.detector.fence(90, {1, 1}, kBoth, isa::Space::generic);
    if (way.by_other) {
      for (const unsigned warp : {1, 2})
        w.detector.cluster_arrive(91, {warp, 1}, {0, 0}, 0, Semantics::release);
      for (const unsigned warp : {1, 2})
        w.detector.cluster_leave(92, {warp, 1}, {0, 0}, 0, Semantics::acquire);
    }
    if (!way.before) turn(way.by_other ? 2 : 1);
    return w.detector.passes_polls();
  };
  CHECK(passes({}));
  CHECK(passes({.by_other = true}));
  CHECK(passes({.flag = kRelease}));                 // nobody acquires
  CHECK(passes({.seen = kAcquire}));                 // nothing is released
  CHECK(passes({.flag = kRelaxed, .fence = true}));  // the same
  CHECK_FALSE(passes({.flag = kRelease, .seen = kAcquire}));
  CHECK_FALSE(passes({.flag = kRelease, .seen = kAcquire, .by_other = true}));
  CHECK_FALSE(passes({.flag = kRelease, .fence = true}));
  CHECK_FALSE(passes({.polls = false}));
  CHECK_FALSE(passes({.before = true}));
}

TEST_CASE("two values that lead to two places") {
  const auto exact = [](std::size_t second) {
    Watched w;
    w.store(0, 1);
    w.store(0, 2);
    w.poll(
        1, [second](std::uint64_t now) { return now == 0   ? std::size_t{0}
                                                : now == 1 ? 1
                                                           : second; },
        kRelaxed);
    return w.detector.flags().open.empty();
  };
  CHECK(exact(1));
  CHECK_FALSE(exact(2));
}

TEST_CASE("a flag that counts up: what the run took beyond the first of the values is not taken again") {
  const auto found = [](const TakenMap* taken, Flags::Answer* answer) {
    Watched w(taken);
    w.store(0, 1);
    w.data(0, Effect::write);
    w.store(0, 2);
    w.poll(1, [](std::uint64_t now) { return std::size_t{now >= 1}; });
    w.data(1, Effect::read);
    *answer = w.detector.flags();
    return w.detector.findings().size();
  };
  Flags::Answer first, second;
  CHECK(found(nullptr, &first) == 0);
  CHECK_FALSE(first.settled);
  CHECK(found(&first.taken, &second) == 1);
  CHECK(second.settled);
  CHECK(second.open.empty());
}

TEST_CASE(
    "a flag that is handed on by another CTA: whichever value is read, the first writer is acquired "
    "(8.9.5)") {
  // Warp 1 waits for 1 and writes 2; warp 2 goes on with either, and reads what warp 0 wrote.
  struct Shown {
    std::size_t findings = 0;
    Flags::Answer answer;
  };
  const auto relay = [](const TakenMap* taken, Strength read, Strength write, std::uint32_t last) {
    Watched w(taken, {0, 1, last});
    w.data(0, Effect::write);
    w.store(0, 1);
    w.await(1, 1, read);
    w.store(1, 2, write);
    w.poll(2, [](std::uint64_t now) { return std::size_t{now != 0}; });
    w.data(2, Effect::read);
    return Shown{w.detector.findings().size(), w.detector.flags()};
  };
  const auto settled = [&](Strength read, Strength write, std::uint32_t last = 2) {
    const Shown first = relay(nullptr, read, write, last);
    CHECK(first.answer.open.empty());
    const Shown second = relay(&first.answer.taken, read, write, last);
    CHECK(second.answer.settled);
    return second.findings;
  };
  CHECK(settled(kAcquire, kRelease) == 0);
  CHECK(settled(kAcquire, kRelease, 1) == 0);
  CHECK(settled(kAcquire, kRelease, 0) == 0);  // of the first writer's CTA
  CHECK(settled(kRelaxed, kRelease) == 1);     // the second writer has not acquired the first
  CHECK(settled(kAcquire, kRelaxed) == 1);     // and releases nothing
}

TEST_CASE("a write is behind those that its thread observed, though no release is behind them (8.9.5)") {
  // A counter of two phases, whose relaxed additions follow a fence each: the second ones come behind all of the first.
  const auto meet = [](Watched& w, std::uint64_t count) {
    for (const unsigned warp : {0U, 1U}) {
      w.detector.fence(0, {warp, 1}, kBoth, isa::Space::generic);
      w.add(warp, 1, kRelaxed);
    }
    for (const unsigned warp : {0U, 1U})
      w.poll(warp, [=](std::uint64_t now) { return std::size_t{now >= count}; });
  };
  Watched w;
  w.data(0, Effect::write);
  meet(w, 2);
  w.data(1, Effect::read);
  meet(w, 4);
  w.data(0, Effect::write);
  CHECK(w.exact());
  CHECK(w.detector.findings().empty());
  // Who waits for less than the first of them may have met one alone.
  Watched early;
  meet(early, 2);
  meet(early, 3);
  CHECK_FALSE(early.exact());
}

TEST_CASE("ping-pong on one flag") {
  Watched w;
  w.store(0, 1);
  w.await(1, 1);
  w.store(1, 2);
  w.await(0, 2);
  w.store(0, 3);
  w.await(1, 3);
  CHECK(w.exact());
}

TEST_CASE("what a loop observes in all schedules puts fence.sc in an order (8.10.6)") {
  // One thread waits, the CTA meets, another of it fences and reads.
  const auto races = [](Semantics fence, bool two) {
    Watched run(nullptr, {0, 1, 1, 2});
    TakenMap taken;
    const auto events = [&](Watched& to) {
      if (two) to.store(3, 1, kRelaxed);
      to.data(0, Effect::write);
      to.detector.fence(101, {0, 1}, strong(fence), isa::Space::generic);
      to.store(0, 1, kRelaxed);
      to.await(1, 1, kRelaxed);
      for (const std::uint32_t warp : {1U, 2U}) to.detector.barrier_arrive(102, {warp, 1}, {1, 0}, 0);
      for (const std::uint32_t warp : {1U, 2U}) to.detector.barrier_leave(102, {warp, 1}, {1, 0}, 0);
      to.detector.fence(103, {2, 1}, strong(fence), isa::Space::generic);
      to.data(2, Effect::read);
    };
    events(run);
    taken = run.detector.flags().taken;
    Watched again(&taken, {0, 1, 1, 2});
    events(again);
    CHECK(again.detector.flags().settled);
    return !again.detector.findings().empty();
  };
  CHECK_FALSE(races(Semantics::sc, false));
  CHECK(races(Semantics::acq_rel, false));
  CHECK(races(Semantics::sc, true));
}

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
// Reads that may take an older value than the newest write: strong ones, which race with nothing, and the turns of a loop.
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

constexpr Strength kRelaxed = strong(Semantics::relaxed), kRelease = strong(Semantics::release),
                   kAcquire = strong(Semantics::acquire);

}  // namespace

TEST_CASE("a strong read behind a release that was seen and not acquired may take an older value (8.8)") {
  const auto message = [](Strength data, Strength flag, Strength seen, bool fence, bool decides = false) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX, data);
    s.write(s.thread(0), kFlag, flag);
    s.read(s.thread(1), kFlag, seen);
    if (fence) s.fence(s.thread(1));
    s.access(Effect::read, s.thread(1), kX, kRelaxed, Proxy::generic, 4, 0, decides);
    return s.found();
  };
  CHECK(message(kRelaxed, kRelease, kRelaxed, false) == Rules{"stale-read"});
  CHECK(message(kRelaxed, kRelease, kRelaxed, true).empty());
  CHECK(message(kRelaxed, kRelease, kAcquire, false).empty());
  CHECK(message(kRelaxed, kRelease, kRelaxed, false, true).empty());  // it may be tried again
  CHECK(message(kRelaxed, kRelaxed, kRelaxed, false).empty());  // nothing says that they belong together
  CHECK(message(kWeak, kRelease, kRelaxed, false) == Rules{"missing-acquire"});
  const Strength narrow = strong(Semantics::acquire, Scope::cta);
  CHECK(message(kRelaxed, kRelease, narrow, false).count("stale-read") == 1);
}

TEST_CASE("a strong read of what was written before what a loop waited for may take an older value (8.8)") {
  struct Way {
    bool released = false, acquired = false;
    bool polls = true;     // else nothing says that the two belong together
    bool another = false;  // the reader has been told by who polls, at a barrier
    bool before = false;   // it has read the data before
    Strength data = kRelaxed;
  };
  const auto handed_on = [](const Way& way) {
    Scenario s({0, 1, 1});
    s.write(s.thread(0), kX, way.data);
    if (way.released) s.fence(s.thread(0));
    s.write(s.thread(0), kFlag, kRelaxed);
    const Thread reader = s.thread(way.another ? 2 : 1);
    if (way.before) s.read(reader, kX, kRelaxed);
    way.polls ? s.poll(s.thread(1), kFlag, kRelaxed) : s.read(s.thread(1), kFlag, kRelaxed);
    if (way.acquired) s.fence(s.thread(1));
    if (way.another) s.bar({1, 2});
    s.access(Effect::read, reader, kX, kRelaxed, Proxy::generic, 4, 0, false);
    return s.found();
  };
  CHECK(handed_on({}) == Rules{"stale-read"});
  CHECK(handed_on({.acquired = true}) == Rules{"stale-read"});
  CHECK(handed_on({.released = true}) == Rules{"stale-read"});
  CHECK(handed_on({.released = true, .acquired = true}).empty());
  CHECK(handed_on({.another = true}) == Rules{"stale-read"});
  CHECK(handed_on({.released = true, .another = true}) == Rules{"stale-read"});
  CHECK(handed_on({.released = true, .acquired = true, .another = true}).empty());
  CHECK(handed_on({.polls = false}).empty());
  CHECK(handed_on({.before = true}).empty());
  CHECK(handed_on({.data = kWeak}) == Rules{"race"});
}

TEST_CASE("so may one of what was written before what an atomic went by: a lock that was given back, say") {
  const auto taken = [](bool released, bool acquired, bool decides) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX, kRelaxed);
    if (released) s.fence(s.thread(0));
    s.update(s.thread(0), kFlag, kRelaxed);
    s.access(Effect::update, s.thread(1), kFlag, kRelaxed, Proxy::generic, 4, 0, decides);
    if (acquired) s.fence(s.thread(1));
    s.access(Effect::read, s.thread(1), kX, kRelaxed, Proxy::generic, 4, 0, false);
    return s.found();
  };
  CHECK(taken(false, false, true) == Rules{"stale-read"});
  CHECK(taken(false, true, true) == Rules{"stale-read"});
  CHECK(taken(true, false, true) == Rules{"stale-read"});
  CHECK(taken(true, true, true).empty());
  CHECK(taken(false, true, false).empty());  // nobody goes by it
}

TEST_CASE("of what is written behind what a loop waited for, nothing is expected") {
  Scenario s({0, 1});
  s.write(s.thread(0), kX, kRelaxed);
  s.fence(s.thread(0));
  s.write(s.thread(0), kFlag, kRelaxed);
  s.poll(s.thread(1), kFlag, kAcquire);
  s.write(s.thread(0), kX, kRelaxed);
  s.access(Effect::read, s.thread(1), kX, kRelaxed, Proxy::generic, 4, 0, false);
  CHECK(s.found().empty());
}

TEST_CASE("who has read a value reads no older one at that location (8.10.5)") {
  for (const bool newer : {false, true}) {
    Scenario s({0, 1});
    s.write(s.thread(0), kFlag, kRelease);
    s.read(s.thread(1), kFlag, kRelaxed);
    if (newer) {
      s.write(s.thread(0), kFlag, kRelease);
      s.write(s.thread(0), kY, kRelease);
      s.read(s.thread(1), kY, kRelaxed);
    }
    s.access(Effect::read, s.thread(1), kFlag, kRelaxed, Proxy::generic, 4, 0, false);
    CHECK(s.found() == (newer ? Rules{"stale-read"} : Rules{}));
  }
}

TEST_CASE("a turn of a loop that waits reads an older write, too, and what it races with was not acquired") {
  const auto waits = [](bool known, bool polls) {
    Scenario s({0, 0});
    s.write(s.thread(0), kFlag);
    if (known) s.bar({0, 1});
    s.write(s.thread(0), kFlag, kRelease);
    if (polls) {
      s.poll(s.thread(1), kFlag, kAcquire);
    } else {
      s.read(s.thread(1), kFlag, kAcquire);
    }
    return s.found();
  };
  CHECK(waits(false, true) == Rules{"race"});
  CHECK(waits(false, false).empty());
  CHECK(waits(true, true).empty());
}

TEST_CASE("a loop whose value is there when it begins has no other turns") {
  Scenario s({0, 0});
  s.write(s.thread(0), kFlag);
  s.bar({0, 1});
  s.poll(s.thread(1), kFlag, kAcquire);
  CHECK(s.found().empty());
}

}  // namespace ptxmc::testing

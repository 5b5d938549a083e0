// SPDX-License-Identifier: Apache-2.0
// What orders accesses of threads, and what does not: fences, releases and acquires, scopes, strength, aliases.
#include <doctest/doctest.h>

#include <algorithm>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

/// 0 writes x and raises the flag, 1 sees it and reads x; the ends are as given. CTAs of the two threads differ if `far`.
Rules message(bool far, Strength store, Strength load, bool fence_before = false, bool fence_behind = false,
              Scope fences = Scope::gpu) {
  Scenario s(far ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{0, 0});
  s.write(s.thread(0), kX);
  if (fence_before) s.fence(s.thread(0), Semantics::acq_rel, fences);
  s.write(s.thread(0), kFlag, store);
  s.read(s.thread(1), kFlag, load);
  if (fence_behind) s.fence(s.thread(1), Semantics::acq_rel, fences);
  s.read(s.thread(1), kX);
  return s.found();
}

constexpr Strength kRelaxed = strong(Semantics::relaxed), kRelease = strong(Semantics::release),
                   kAcquire = strong(Semantics::acquire);

}  // namespace

TEST_CASE("nothing orders two threads; program order one") {
  Scenario s({0, 0});
  s.write(s.thread(0), kX);
  s.read(s.thread(0), kX);
  CHECK(s.found().empty());
  s.read(s.thread(1), kX);
  CHECK(s.found() == Rules{"race"});
}

TEST_CASE("release and acquire (8.8, 8.9.4)") {
  CHECK(message(true, kRelease, kAcquire).empty());
  CHECK(message(true, kRelaxed, kRelaxed, true, true).empty());
  CHECK(message(true, kRelease, kRelaxed, false, true).empty());
  CHECK(message(true, kRelaxed, kAcquire, true, false).empty());
  CHECK(message(true, kRelaxed, kAcquire) == Rules{"race"});
  CHECK(message(true, kRelease, kRelaxed) == Rules{"missing-acquire"});
  CHECK(message(true, kRelaxed, kRelaxed, true, false) == Rules{"missing-acquire"});
}

TEST_CASE("red observes, and begins no acquire pattern (8.8, D18)") {
  const auto reads = [](Address at) {
    Scenario s({0, 0});
    s.write(s.thread(0), kX);
    s.write(s.thread(0), kFlag, kRelease);
    s.reduce(s.thread(1), kFlag, kRelaxed);
    s.fence(s.thread(1));
    s.read(s.thread(1), at);
    return s.found();
  };
  CHECK(reads(kFlag).empty());  // 8.9.5: causality is base causality behind an observation
  CHECK(reads(kX) == Rules{"race"});
}

TEST_CASE("scopes include each other, or nothing is ordered (8.5)") {
  const Strength release = strong(Semantics::release, Scope::cta),
                 acquire = strong(Semantics::acquire, Scope::cta);
  CHECK(message(false, release, acquire).empty());
  CHECK(message(true, release, acquire).count("scope-too-narrow") == 1);
  CHECK(message(true, kRelease, acquire).count("scope-too-narrow") == 1);
  CHECK(message(true, release, kAcquire).count("scope-too-narrow") == 1);
  CHECK(message(true, kRelaxed, kRelaxed, true, true, Scope::cta) == Rules{"scope-too-narrow"});
  CHECK(message(false, kRelaxed, kRelaxed, true, true, Scope::cta).empty());
}

TEST_CASE("many releases at once: who acquired them says nothing of another GPU, or of another scope") {
  const auto is_racy = [](std::uint32_t gpu, Scope scope) {
    const std::array<Placement, 5> places{
        {{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 0, 0}, {3, 3, 0, 0}, {4, 4, gpu, 0}}};
    Scenario s(places, false);
    for (const unsigned writer : {0U, 1U}) {
      s.write(s.thread(writer), kX + 64 * writer);
      s.update(s.thread(writer), kFlag, strong(Semantics::acq_rel));
    }
    s.update(s.thread(2), kFlag, strong(Semantics::relaxed, Scope::sys));
    for (const unsigned reader : {3U, 4U}) {
      s.read(s.thread(reader), kFlag, strong(Semantics::relaxed, Scope::sys));
      s.fence(s.thread(reader), Semantics::acquire, reader == 3 ? Scope::sys : scope);
      for (const unsigned writer : {0U, 1U}) s.read(s.thread(reader), kX + 64 * writer);
    }
    const std::vector<Finding>& all = s.detector.findings();  // but for those of the flag
    return std::any_of(all.begin(), all.end(), [](const Finding& f) { return f.bytes.begin < kFlag; });
  };
  CHECK_FALSE(is_racy(0, Scope::sys));
  CHECK(is_racy(1, Scope::sys));
  CHECK(is_racy(0, Scope::cta));
}

TEST_CASE(
    "a release that is too narrow is the cause, however long the chain of atomics, and whoever reads it") {
  const auto counted = [](Scope scope, bool acquires) {
    Scenario s({0, 1, 2});
    for (const unsigned writer : {0U, 1U}) {  // one instruction of both
      s.line = 0;
      s.write(s.thread(writer), kX + 64 * writer);
      s.fence(s.thread(writer), Semantics::release, scope);
      s.update(s.thread(writer), kFlag, strong(Semantics::relaxed));
    }
    s.line = 10;
    s.update(s.thread(2), kFlag, strong(acquires ? Semantics::acquire : Semantics::relaxed));
    s.read(s.thread(2), kX);
    return s.found();
  };
  CHECK(counted(Scope::cta, true) == Rules{"scope-too-narrow"});
  CHECK(counted(Scope::cta, false) == Rules{"scope-too-narrow"});
  CHECK(counted(Scope::gpu, false) == Rules{"missing-acquire"});
  CHECK(counted(Scope::gpu, true).empty());
}

TEST_CASE("an atomic is behind a weak write that it observes through an atomic of the same thread (8.9.5)") {
  const Strength relaxed = strong(Semantics::relaxed);
  const auto found = [&](Effect own, unsigned atomics, Effect last) {
    Scenario s({0, 1, 2});
    s.write(s.thread(0), kFlag);
    s.access(own, s.thread(0), kFlag, relaxed);
    for (unsigned i = 0; i < atomics; ++i) s.update(s.thread(1), kFlag, relaxed);
    s.access(last, s.thread(2), kFlag, relaxed);
    return s.found();
  };
  CHECK(found(Effect::update, 0, Effect::update).empty());
  CHECK(found(Effect::update, 1, Effect::update).empty());
  CHECK_FALSE(found(Effect::update, 0, Effect::read).empty());
  CHECK_FALSE(found(Effect::write, 0, Effect::update).empty());  // it does not observe the weak one
  CHECK_FALSE(found(Effect::update, 0, Effect::write).empty());
}

TEST_CASE("volatile is relaxed at .sys (8.4)") {
  const Strength volatile_{Semantics::volatile_, Scope::none};
  CHECK(message(true, volatile_, volatile_, true, true).empty());
  CHECK(message(true, volatile_, volatile_) == Rules{"race"});
}

TEST_CASE("morally strong accesses do not race (8.7.1)") {
  const auto pair = [](Strength a, Strength b, bool far, std::uint8_t bytes) {
    Scenario s(far ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{0, 0});
    s.access(Effect::write, s.thread(0), kX, a);
    s.access(Effect::update, s.thread(1), kX, b, Proxy::generic, bytes);
    return s.found();
  };
  CHECK(pair(kRelaxed, kRelaxed, true, 4).empty());
  CHECK(pair(kRelaxed, kWeak, true, 4) == Rules{"race"});
  CHECK(pair(kRelaxed, kRelaxed, true, 8) == Rules{"race"});  // not the same bytes
  CHECK(pair(strong(Semantics::relaxed, Scope::cta), kRelaxed, true, 4).count("race") == 1);
  CHECK(pair(strong(Semantics::relaxed, Scope::cta), kRelaxed, false, 4).empty());
}

TEST_CASE("a strong access does not hide a weak one before it") {
  Scenario s({0, 0, 0});
  s.write(s.thread(0), kX);  // weak
  s.bar({0, 1});
  s.write(s.thread(1), kX, kRelaxed);
  s.write(s.thread(2), kX, kRelaxed);  // races with the first alone
  CHECK(s.found() == Rules{"race"});
  CHECK(s.detector.findings().front().first.site == 1);
}

TEST_CASE("atomics pass on what they read (8.9.2); a store does not") {
  const auto chain = [](Effect between) {
    Scenario s({0, 1, 2});
    s.write(s.thread(0), kX);
    s.write(s.thread(0), kFlag, kRelease);
    s.access(between, s.thread(1), kFlag, kRelaxed);
    s.read(s.thread(2), kFlag, kAcquire);
    s.read(s.thread(2), kX);
    return s.found();
  };
  CHECK(chain(Effect::update).empty());
  CHECK(chain(Effect::write) == Rules{"race"});
}

TEST_CASE("a release is one for the later writes of its thread to the location (8.8)") {
  const auto pattern = [](Address second) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    s.write(s.thread(0), kFlag, kRelease);
    s.write(s.thread(0), second, kRelaxed);
    s.read(s.thread(1), second, kAcquire);
    s.read(s.thread(1), kX);
    return s.found();
  };
  CHECK(pattern(kFlag).empty());
  CHECK(pattern(kY) == Rules{"race"});
}

TEST_CASE("what control does not rest on orders nothing in all schedules") {
  Scenario s({0, 1});
  s.write(s.thread(0), kX);
  s.write(s.thread(0), kFlag, kRelease);
  s.access(Effect::read, s.thread(1), kFlag, kAcquire, Proxy::generic, 4, 0, false);
  s.read(s.thread(1), kX);
  CHECK(s.found() == Rules{"race"});
}

TEST_CASE("behind an observation comes causality, which orders the write alone (8.9.5)") {
  for (const bool all : {false, true}) {
    for (const bool decides : {false, true}) {
      Scenario s({0, 1}, all);
      s.write(s.thread(0), kX);
      s.write(s.thread(0), kFlag, kRelaxed);
      s.access(Effect::read, s.thread(1), kFlag, kRelaxed, Proxy::generic, 4, 0, decides);
      s.read(s.thread(1), kFlag);
      s.read(s.thread(1), kFlag);
      CHECK(s.found() == (decides ? Rules{} : Rules{"race"}));
      s.read(s.thread(1), kX);
      CHECK(s.found() == Rules{"race"});
    }
  }
}

TEST_CASE("an atomic observes, too, and what it read observed") {
  for (const bool all : {false, true}) {
    for (const bool decides : {false, true}) {
      Scenario s({0, 1}, all);
      s.write(s.thread(0), kFlag, kRelaxed);
      s.access(Effect::update, s.thread(1), kFlag, kRelaxed, Proxy::generic, 4, 0, decides);
      s.read(s.thread(1), kFlag);  // behind the atomic of its thread
      CHECK(s.found() == (decides ? Rules{} : Rules{"race"}));
    }
    Scenario chain({0, 1, 2}, all);
    chain.write(chain.thread(0), kFlag, kRelaxed);
    chain.update(chain.thread(1), kFlag, kRelaxed);
    chain.read(chain.thread(2), kFlag, kRelaxed);
    chain.read(chain.thread(2), kFlag);
    CHECK(chain.found().empty());
    Scenario store({0, 1, 2}, all);
    store.write(store.thread(0), kFlag, kRelaxed);
    store.write(store.thread(1), kFlag, kRelaxed);
    store.read(store.thread(2), kFlag, kRelaxed);
    store.read(store.thread(2), kFlag);
    CHECK(store.found() == Rules{"race"});
  }
}

TEST_CASE("an atomic observes its thread's own weak write, as they are morally strong (8.7)") {
  // Is the read after the observation in one of the racing pairs?
  const auto last_races = [](unsigned writer, std::uint8_t bytes, bool behind) {
    Scenario s({0, 1, 0}, true);
    s.access(Effect::write, s.thread(writer), kFlag, kWeak, Proxy::generic, bytes);
    if (writer != 0) s.bar({0, writer});
    s.update(s.thread(0), kFlag, kRelaxed);
    s.read(s.thread(1), kFlag, behind ? kRelaxed : kWeak);  // observes the atomic
    s.read(s.thread(1), kFlag, kRelaxed);
    const auto races = [&](const Finding& f) { return is_race(f.rule) && f.second.site == s.line; };
    return std::any_of(s.detector.findings().begin(), s.detector.findings().end(), races);
  };
  CHECK_FALSE(last_races(0, 4, true));
  CHECK(last_races(0, 8, true));   // no complete overlap
  CHECK(last_races(2, 4, true));   // another thread's
  CHECK(last_races(0, 4, false));  // a weak read observes nothing
}

TEST_CASE("unordered writes of one known value are a note") {
  const auto writes = [](std::uint64_t a, std::uint64_t b) {
    Scenario s({0, 0});
    s.access(Effect::write, s.thread(0), kX, kWeak, Proxy::generic, 4, a);
    s.access(Effect::write, s.thread(1), kX, kWeak, Proxy::generic, 4, b);
    return s.found(true);
  };
  CHECK(writes(7, 7) == Rules{"equal-bytes"});
  CHECK(writes(7, 8) == Rules{"race"});
  CHECK(writes(0, 0) == Rules{"race"});  // not known
}

TEST_CASE("a location is in order if a barrier stands between what is read there and each write") {
  const auto ordered = [](bool meets, Strength writes, Strength reads) {
    Scenario s({0, 0});
    s.write(s.thread(0), kFlag, writes);
    if (meets) s.bar({0, 1});
    s.read(s.thread(1), kFlag, reads);
    CHECK(s.detector.is_ordered({kX, 4}));
    return s.detector.is_ordered({kFlag, 4});
  };
  CHECK(ordered(true, kRelaxed, kRelaxed));
  CHECK(ordered(true, kRelease, kAcquire));
  CHECK_FALSE(ordered(false, kRelaxed, kRelaxed));
  CHECK_FALSE(ordered(false, kRelease, kAcquire));  // what it acquires there itself is no such order
  CHECK(ordered(false, kWeak, kWeak));              // a race, which is a finding
}

TEST_CASE("who reads what several wrote must be behind each of them, be they equal") {
  const auto reads = [](bool waits) {
    Scenario s({0, 0, 0});
    for (const unsigned warp : {0U, 1U, 1U, 0U, 1U})
      s.access(Effect::write, s.thread(warp), kX, kWeak, Proxy::generic, 4, 7);
    if (waits) s.bar({0, 1});
    s.read(s.thread(1), kX);
    return s.found(true);
  };
  CHECK(reads(false) == Rules{"equal-bytes", "race"});
  CHECK(reads(true) == Rules{"equal-bytes"});
}

TEST_CASE("all racing pairs, or one a cell") {
  for (const bool all : {false, true}) {
    Scenario s({0, 0, 0}, all);
    s.write(s.thread(0), kX);
    s.write(s.thread(1), kX);
    s.write(s.thread(2), kX);
    CHECK(s.detector.findings().size() == (all ? 3 : 2));
  }
}

TEST_CASE("lanes of one instruction, vectors and parts of words") {
  Scenario s({0, 0});
  std::array<Address, kLanes> begin{};
  for (unsigned lane = 0; lane < kLanes; ++lane) begin[lane] = kX + 16 * lane;
  s.detector.access({1, {0, ~0U}, Effect::write, Proxy::generic, kWeak, 4, 4, begin, {}, 0});
  s.detector.access({2, {0, ~0U}, Effect::read, Proxy::generic, kWeak, 4, 4, begin, {}, 0});
  CHECK(s.found().empty());
  s.access(Effect::write, s.thread(1), kX + 16 * 5 + 3, kWeak, Proxy::generic, 1);
  REQUIRE(s.detector.findings().size() >= 1);
  CHECK(s.detector.findings().front().bytes.begin == kX + 16 * 5 + 3);
  CHECK(s.detector.findings().front().first.thread == 5);
  for (Address& at : begin) at = kY;
  s.detector.access({4, {0, ~0U}, Effect::write, Proxy::generic, kWeak, 4, 1, begin, {}, 0});
  CHECK(s.detector.findings().back().first.site == 4);
  CHECK(s.detector.findings().back().second.site == 4);
}

/// Thread 0 writes x, raises the flag by the proxies given, and 1 takes it and reads x.
Rules through(Proxy data, Proxy release, Proxy acquire, bool fences) {
  Scenario s({0, 1});
  s.access(Effect::write, s.thread(0), kX, kWeak, data);
  if (fences) s.proxy_fence(s.thread(0), Proxy::alias);
  s.access(Effect::write, s.thread(0), kFlag, kRelease, release);
  s.access(Effect::read, s.thread(1), kFlag, kAcquire, acquire);
  if (fences) s.proxy_fence(s.thread(1), Proxy::alias);
  s.read(s.thread(1), kX);
  return s.found();
}

TEST_CASE("aliases, as multimem addresses are: fences between names, none through one (8.9.5, D50)") {
  CHECK(through(Proxy::generic, Proxy::alias, Proxy::alias, false).empty());
  CHECK(through(Proxy::alias, Proxy::generic, Proxy::generic, false) == Rules{"proxy-race"});
  CHECK(through(Proxy::alias, Proxy::generic, Proxy::generic, true).empty());
  // two names are not morally strong, and synchronize nobody
  CHECK(through(Proxy::generic, Proxy::alias, Proxy::generic, true) == Rules{"race"});
  CHECK(through(Proxy::generic, Proxy::generic, Proxy::alias, true) == Rules{"race"});
  Scenario own({0});
  own.access(Effect::write, own.thread(0), kX, kWeak, Proxy::alias);
  own.access(Effect::read, own.thread(0), kX, kWeak, Proxy::alias);
  CHECK(own.found().empty());
  own.read(own.thread(0), kX);
  CHECK(own.found() == Rules{"proxy-race"});
}

}  // namespace ptxmc::testing

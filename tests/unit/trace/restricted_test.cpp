// SPDX-License-Identifier: Apache-2.0
// Fences with .sync_restrict (9.7.12.4): of the shared memory of the CTA that releases, or of the cluster that acquires.
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

constexpr Strength kRelaxed = strong(Semantics::relaxed, Scope::cluster),
                   kRelease = strong(Semantics::release, Scope::cluster),
                   kAcquire = strong(Semantics::acquire, Scope::cluster);
constexpr Address shared(std::uint32_t cta) {
  return 0x10000 + cta * 0x1000;
}
/// What a thread does at its end of a signal.
enum class End { restricted, plain };

void signal(Scenario& s, Thread from, Thread to, Address flag, End release, End acquire) {
  if (release == End::restricted) s.restricted_fence(from, Semantics::release);
  s.write(from, flag, release == End::plain ? kRelease : kRelaxed);
  s.read(to, flag, acquire == End::plain ? kAcquire : kRelaxed);
  if (acquire == End::restricted) s.restricted_fence(to, Semantics::acquire);
}

/// 0 writes, 1 is told, and reads; of CTAs 0 and `reader`.
Rules message(Address at, std::uint32_t reader, End release, End acquire) {
  Scenario s({0, reader});
  s.write(s.thread(0), at);
  signal(s, s.thread(0), s.thread(1), kFlag, release, acquire);
  s.read(s.thread(1), at);
  return s.found();
}

/// The same through a thread between them, of the first one's CTA.
Rules relayed(Address at, End a, End b, End c, End d) {
  Scenario s({0, 0, 1});
  s.write(s.thread(0), at);
  signal(s, s.thread(0), s.thread(1), kFlag, a, b);
  signal(s, s.thread(1), s.thread(2), kFlag + 4, c, d);
  s.read(s.thread(2), at);
  return s.found();
}

}  // namespace

TEST_CASE("a release of the shared memory of its CTA orders nothing else") {
  for (const End acquire : {End::plain, End::restricted}) {
    CHECK(message(shared(0), 1, End::restricted, acquire).empty());
    CHECK(message(shared(1), 1, End::restricted, acquire) == Rules{"race"});
    CHECK(message(kX, 1, End::restricted, acquire) == Rules{"race"});
  }
}

TEST_CASE("an acquire of the shared memory of its cluster orders nothing else") {
  CHECK(message(shared(0), 1, End::plain, End::restricted).empty());
  CHECK(message(shared(1), 1, End::plain, End::restricted).empty());
  CHECK(message(kX, 1, End::plain, End::restricted) == Rules{"race"});
}

TEST_CASE("what such a fence takes, the next one passes on, and so does a release of all memory") {
  for (const End a : {End::plain, End::restricted}) {
    for (const End b : {End::plain, End::restricted}) {
      for (const End c : {End::plain, End::restricted}) {
        for (const End d : {End::plain, End::restricted}) {
          CHECK(relayed(shared(0), a, b, c, d).empty());
          const bool all = a == End::plain && b == End::plain && c == End::plain && d == End::plain;
          CHECK(relayed(kX, a, b, c, d).empty() == all);
        }
      }
    }
  }
  CHECK(relayed(shared(1), End::plain, End::plain, End::restricted, End::plain) == Rules{"race"});
  CHECK(relayed(shared(1), End::plain, End::restricted, End::plain, End::plain).empty());
}

TEST_CASE(
    "an access behind the fence is not released by it; a fence of all memory before it still releases all") {
  Scenario s({0, 1});
  s.restricted_fence(s.thread(0), Semantics::release);
  s.write(s.thread(0), shared(0));
  s.write(s.thread(0), kFlag, kRelaxed);
  s.read(s.thread(1), kFlag, kAcquire);
  s.read(s.thread(1), shared(0));
  CHECK(s.found() == Rules{"race"});

  Scenario both({0, 1});
  both.write(both.thread(0), kX);
  both.fence(both.thread(0), Semantics::release, Scope::cluster);
  both.restricted_fence(both.thread(0), Semantics::release);
  both.write(both.thread(0), kFlag, kRelaxed);
  both.read(both.thread(1), kFlag, kAcquire);
  both.read(both.thread(1), kX);
  CHECK(both.found().empty());
}

TEST_CASE("what is ordered at one of the places of a copy need not be at the next") {
  const auto found = [](Address first, Address second) {
    Scenario s({0, 1});
    for (const Address at : {shared(0), shared(1)}) {
      s.line = 0;  // one instruction, twice
      s.access(Effect::read, s.thread(0), at, kWeak, Proxy::generic, 16);
    }
    s.line = 10;
    signal(s, s.thread(0), s.thread(1), kFlag, End::restricted, End::restricted);
    const std::array<Range, 1> reads{{{kY, 32}}};
    const std::array<Range, 2> writes{{{first, 16}, {second, 16}}};
    s.detector.issue({++s.line, s.thread(1), Proxy::generic, Tracking::cp_async, 0, 0, reads, writes, false});
    return s.found();
  };
  CHECK(found(shared(0), shared(0) + 16).empty());
  CHECK(found(shared(0), shared(1)) == Rules{"race"});
  CHECK(found(shared(1), shared(0)) == Rules{"race"});
}

TEST_CASE("what a lane did before a fence of its warp is not what the others release") {
  const auto found = [](unsigned releases) {
    Scenario s({0, 1});
    const auto fence = [&] {
      s.detector.fence(++s.line, {0, 3}, {Semantics::release, Scope::cluster}, isa::Space::shared_cta);
    };
    s.write(s.thread(0, 0), shared(0));
    fence();
    fence();
    s.write(s.thread(0, releases), kFlag, kRelaxed);
    s.read(s.thread(1), kFlag, kAcquire);
    s.read(s.thread(1), shared(0));
    return s.found();
  };
  CHECK(found(0).empty());
  CHECK(found(1) == Rules{"race"});
}

TEST_CASE("a release of reads: of those of its thread alone, and of no write (9.7.12.4)") {
  enum class Before { read, write, read_of_another };
  const auto refilled = [](Before before, bool reads_only) {
    Scenario s({0, 1, 0});
    if (before == Before::write) {
      s.write(s.thread(0), kShared);
    } else {
      s.read(s.thread(before == Before::read ? 0 : 2), kShared);
    }
    if (before == Before::read_of_another) {
      s.write(s.thread(2), kFlag + 4, strong(Semantics::release));
      s.read(s.thread(0), kFlag + 4, strong(Semantics::acquire));
    }
    s.proxy_fence(s.thread(0), Proxy::async, strong(Semantics::release, Scope::cluster),
                  reads_only ? isa::Space::shared_cluster : isa::Space::shared_cta, reads_only);
    s.write(s.thread(0), kFlag, strong(Semantics::relaxed));
    s.read(s.thread(1), kFlag, strong(Semantics::relaxed));
    s.proxy_fence(s.thread(1), Proxy::async, strong(Semantics::acquire, Scope::cluster),
                  isa::Space::shared_cluster);
    s.store(s.thread(1), kY, kShared);
    return s.found().empty();
  };
  for (const Before before : {Before::read, Before::write, Before::read_of_another}) {
    CHECK(refilled(before, false));
    CHECK(refilled(before, true) == (before == Before::read));
  }
}

TEST_CASE("a cause names the fence that is of other memory") {
  Scenario s({0, 1});
  s.write(s.thread(0), kX);
  signal(s, s.thread(0), s.thread(1), kFlag, End::plain, End::restricted);
  s.read(s.thread(1), kX);
  REQUIRE(s.detector.findings().size() == 1);
  CHECK(s.detector.findings().front().cause.missing == Missing::state_space);
  CHECK(s.detector.findings().front().cause.acquire.has_value());
}

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies and proxy fences: the rows of the table of orders, each with what flips it.
#include <doctest/doctest.h>

#include <optional>

#include "with_object.h"

namespace ptxmc::testing {

TEST_CASE("generic, then async: a fence.proxy.async between (8.6)") {
  const auto stored = [](bool fence, bool meet) {
    Scenario s({0, 0});
    s.write(s.thread(0), kShared);
    if (fence) s.proxy_fence(s.thread(0));
    if (meet) s.bar({0, 1});
    s.store(s.thread(1), kShared, kY);
    return s.found();
  };
  CHECK(stored(true, true).empty());
  CHECK(stored(false, true) == Rules{"proxy-race"});
  CHECK(stored(true, false) == Rules{"race"});
}

TEST_CASE("a fence for one state space is none for another; one of one direction alone is none (9.7.12.4)") {
  const auto stored = [](isa::Space space, Strength strength = kWeak) {
    Scenario s({0, 0});
    s.write(s.thread(0), kShared);
    s.proxy_fence(s.thread(0), Proxy::async, strength, space);
    s.bar({0, 1});
    s.store(s.thread(1), kShared, kX);
    return s.found();
  };
  CHECK(stored(isa::Space::generic).empty());
  CHECK(stored(isa::Space::shared_cta).empty());
  CHECK(stored(isa::Space::shared_cluster).empty());
  CHECK(stored(isa::Space::global) == Rules{"proxy-race"});
  CHECK(stored(isa::Space::generic, strong(Semantics::release, Scope::cluster)) == Rules{"proxy-race"});
}

TEST_CASE("the fence may be behind the barrier, and covers what is before it alone") {
  Scenario s({0, 0});
  s.write(s.thread(0), kShared);
  s.bar({0, 1});
  s.proxy_fence(s.thread(1));
  s.store(s.thread(1), kShared, kY);
  CHECK(s.found().empty());
  s.write(s.thread(1), kShared + 64);
  s.store(s.thread(1), kShared + 64, kY + 64);
  CHECK(s.found() == Rules{"proxy-race"});
}

TEST_CASE("a read, then a write by the async proxy: a class of its own (D3)") {
  const auto refill = [](bool fence) {
    WithObject s;
    s.read(s.thread(1), kShared);
    if (fence) s.proxy_fence(s.thread(1));
    s.bar({0, 1});
    s.load(s.thread(0), kX, kShared, kObject, 0);
    return s.found();
  };
  CHECK(refill(true).empty());
  CHECK(refill(false) == Rules{"cross-proxy-war"});
}

TEST_CASE("async by a phase, then any: a wait for the phase") {
  const auto filled = [](int waits) {
    WithObject s;
    s.load(s.thread(0), kX, kShared, kObject, 0);
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    if (waits == 1) s.wait(s.thread(1), kObject, 0);
    if (waits == 2) s.wait(s.thread(1), kObject, 1);  // passes before anything is there
    if (waits == 3) s.wait(s.thread(1), kObject, 0, kRelaxedCta);
    s.read(s.thread(1), kShared);
    return s.found();
  };
  CHECK(filled(1).empty());
  CHECK(filled(0) == Rules{"race"});
  CHECK(filled(2) == Rules{"race", "wait-overtaken"});
  CHECK(filled(3) == Rules{"missing-acquire"});
}

TEST_CASE(
    "a multicast reads once: any of its signals tells that its reads are over, of its writes its own "
    "(9.7.8.24.6)") {
  // Two copies in two phases of both objects; thread 1 waits at one of the objects, for as many phases, and writes.
  const auto copied = [](bool multicast, int waits, bool writes_source, Address object, Phase relaxed = 2,
                         Phase written = 1) {
    WithObject s;
    constexpr Address kOther = kObject + 8, kTo[] = {kShared, kShared + 64};
    s.detector.mbarrier_init(++s.line, s.thread(0), kOther, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    s.bar({0, 1});
    for (Phase phase = 0; phase < 2; ++phase) {
      const std::array<Signal, 2> both{{{kObject, phase}, {kOther, phase}}};
      const std::array<Range, 1> reads{{{kX + 16 * phase, 16}}};
      ++s.line;
      for (std::size_t i = 0; i < 2; ++i) {
        const std::array<Range, 1> writes{{{kTo[i] + 16 * phase, 16}}};
        Operation copy{s.line,         s.thread(0), Proxy::async, Tracking::mbarrier,
                       both[i].object, phase,       reads,        writes};
        if (multicast) copy.signals = both;
        s.detector.issue(copy);
      }
      for (const Address at : {kObject, kOther}) {
        s.arrive(s.thread(0), at, phase);
        s.complete(at, phase);
      }
      if (waits > static_cast<int>(phase))
        s.wait(s.thread(1), object, phase, phase == relaxed ? kRelaxedCta : kAcquireCta);
    }
    s.write(s.thread(1), (writes_source ? kX : kTo[0]) + 16 * written);
    return s.found().contains("race") || s.found().contains("missing-acquire");
  };
  CHECK_FALSE(copied(true, 2, true, kObject + 8));
  CHECK_FALSE(copied(true, 2, true, kObject));
  CHECK(copied(false, 2, true, kObject));
  CHECK(copied(true, 1, true, kObject + 8));
  CHECK_FALSE(copied(true, 2, false, kObject));
  CHECK(copied(true, 2, false, kObject + 8));
  // Each phase tells of its own alone.
  CHECK(copied(true, 2, true, kObject + 8, 0, 0));
  CHECK_FALSE(copied(true, 2, true, kObject + 8, 0, 1));
  CHECK(copied(true, 2, true, kObject + 8, 1, 1));
}

TEST_CASE("completion carries nothing of its issuer (8.9.1.1)") {
  const auto other = [](bool arrives) {
    WithObject s;
    s.write(s.thread(0), kY);
    s.load(s.thread(0), kX, kShared, kObject, 0);
    if (arrives) s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(1), kObject, 0);
    s.read(s.thread(1), kY);
    return s.found();
  };
  CHECK(other(true).empty());
  CHECK(other(false) == Rules{"race"});
}

TEST_CASE("groups of bulk copies: reads and writes are over apart (9.7.8.24)") {
  const auto reuse = [](int wait, bool global) {
    Scenario s({0});
    s.store(s.thread(0), kShared, kY);
    s.store(s.thread(0), kShared + 64, kY + 64);
    if (wait == 1) s.wait_stores(s.thread(0), 1, true);
    if (wait == 2) s.wait_stores(s.thread(0), 1, false);
    s.access(Effect::write, s.thread(0), global ? kY : kShared);
    return s.found();
  };
  CHECK(reuse(0, false) == Rules{"race"});
  CHECK(reuse(1, false).empty());
  CHECK(reuse(1, true) == Rules{"race"});
  CHECK(reuse(2, true).empty());
}

TEST_CASE("a later group may be under way") {
  Scenario s({0});
  s.store(s.thread(0), kShared, kY);
  s.store(s.thread(0), kShared + 64, kY + 64);
  s.wait_stores(s.thread(0), 1, true);
  s.write(s.thread(0), kShared + 64);
  CHECK(s.found() == Rules{"race"});
}

TEST_CASE("cp.async: its group, or an arrival behind it") {
  const auto copied = [](int how) {
    WithObject s;
    s.copy(s.thread(0), kX, kShared);
    if (how == 1) s.detector.commit_group(++s.line, s.thread(0), Tracking::cp_async);
    if (how == 1) s.detector.wait_group(++s.line, s.thread(0), Tracking::cp_async, 0, false);
    if (how == 2) s.detector.cp_async_arrive({++s.line, s.thread(0), kObject, 0, kRelaxedCta, 1, 0});
    if (how == 2) s.complete(kObject, 0);
    if (how == 2) s.wait(s.thread(1), kObject, 0);
    s.bar({0, 1});
    s.read(s.thread(1), kShared);
    return s.found();
  };
  CHECK(copied(0) == Rules{"race"});
  CHECK(copied(1).empty());
  CHECK(copied(2).empty());
}

TEST_CASE("reductions do not race with each other (R134)") {
  for (const bool reduces : {false, true}) {
    Scenario s({0, 0});
    s.store(s.thread(0), kShared, kY, reduces);
    s.store(s.thread(1), kShared + 64, kY, reduces);
    CHECK(s.found().empty() == reduces);
  }
}

TEST_CASE("order passes through an asynchronous access at its location") {
  for (const bool all : {false, true}) {
    Scenario s({0, 0, 0}, all);
    s.detector.mbarrier_init(++s.line, s.thread(0), kObject, 1);
    s.detector.mbarrier_init(++s.line, s.thread(0), kObject + 8, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    s.bar({0, 1, 2});
    s.load(s.thread(0), kX, kShared, kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(0), kObject, 0);
    s.load(s.thread(0), kShared, kShared + 64, kObject + 8, 0);  // reads what the first wrote
    s.complete(kObject + 8, 0);
    s.wait(s.thread(1), kObject + 8, 0);
    s.write(s.thread(1), kShared);  // behind the read, hence behind the first
    CHECK(s.found().empty());
  }
}

TEST_CASE("copies that are under way when a CTA has exited (5.1.7)") {
  const auto exits = [](bool waits, bool load) {
    WithObject s;
    if (load) {
      s.load(s.thread(0), kX, kShared, kObject, 0);
      s.complete(kObject, 0);
      if (waits) s.wait(s.thread(1), kObject, 0);
    } else {
      s.store(s.thread(0), kShared, kY);
      if (waits) s.wait_stores(s.thread(0), 0, true);
    }
    s.exit(0);
    s.exit(1);
    return s.found();
  };
  CHECK(exits(true, true).empty());
  CHECK(exits(false, true) == Rules{"exit-in-flight"});
  CHECK(exits(true, false).empty());
  CHECK(exits(false, false) == Rules{"exit-in-flight-read"});
}

TEST_CASE("a wait is a completion, relaxed or not: what it waited for is over at the exit (5.1.7)") {
  enum class ExecutionKnowledge { no, relaxed, handed_on };
  const auto exits = [](ExecutionKnowledge told) {
    WithObject s;
    s.load(s.thread(0), kX, kShared, kObject, 0);
    s.complete(kObject, 0);
    constexpr Strength kRelaxed = strong(Semantics::relaxed, Scope::cta);
    if (told != ExecutionKnowledge::no)
      s.wait(s.thread(told == ExecutionKnowledge::handed_on ? 0 : 1), kObject, 0, kRelaxed);
    if (told == ExecutionKnowledge::handed_on) {
      s.detector.mbarrier_init(++s.line, s.thread(1), kObject + 8, 1);
      s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(1)));
      s.arrive(s.thread(0), kObject + 8, 0, kRelaxed);
      s.complete(kObject + 8, 0);
      s.wait(s.thread(1), kObject + 8, 0, kRelaxed);
    }
    s.exit(1);
    s.exit(0);
    Rules found = s.found();
    found.erase("mbarrier-uninitialised");
    return found;
  };
  CHECK(exits(ExecutionKnowledge::no) == Rules{"exit-in-flight"});
  CHECK(exits(ExecutionKnowledge::relaxed).empty());
  CHECK(exits(ExecutionKnowledge::handed_on).empty());
}

TEST_CASE(
    "an arrival at an object of another CTA is over when that has waited for its phase, be it relaxed "
    "(5.1.7)") {
  const auto exits = [](bool waits, bool accesses) {
    Scenario s({0, 1});
    s.detector.mbarrier_init(++s.line, s.thread(0), kObject, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    for (const unsigned w : {0U, 1U})
      s.detector.cluster_arrive(++s.line, {w, 1}, {0, 0}, 0, Semantics::release);
    for (const unsigned w : {0U, 1U})
      s.detector.cluster_leave(++s.line, {w, 1}, {0, 0}, 0, Semantics::acquire);
    if (accesses) s.write(s.thread(1), kShared);
    constexpr Strength kRelaxed = strong(Semantics::relaxed, Scope::cluster);
    s.arrive(s.thread(1), kObject, 0, kRelaxed);
    s.complete(kObject, 0);
    if (waits) s.wait(s.thread(0), kObject, 0, kRelaxed);
    s.exit(0);
    return s.found();
  };
  CHECK(exits(true, false).empty());
  CHECK(exits(false, false) == Rules{"shared-after-exit"});
  CHECK(exits(true, true) == Rules{"shared-after-exit"});  // a relaxed arrival tells nothing of accesses
}

TEST_CASE("warps need not be full: the last of the threads that run is the last one") {
  const std::array<Placement, 1> places{{{0, 0, 0, 0, 3}}};
  Scenario s(places, false);
  s.detector.shared_memory(0, {kShared, 0x1000});
  s.store(s.thread(0), kShared, kY);
  s.detector.exit(8, {0, 1});
  CHECK(s.found().empty());
  s.detector.exit(8, {0, 2});
  CHECK(s.found() == Rules{"exit-in-flight-read"});
}

TEST_CASE("other proxies: each access behind a fence of its own proxy") {
  const auto constant = [](Proxy fence) {
    Scenario s({0});
    s.write(s.thread(0), kX);
    if (fence != Proxy::generic) s.proxy_fence(s.thread(0), fence);
    s.access(Effect::read, s.thread(0), kX, kWeak, Proxy::constant);
    return s.found();
  };
  CHECK(constant(Proxy::constant).empty());
  CHECK(constant(Proxy::async) == Rules{"proxy-race"});
  CHECK(constant(Proxy::generic) == Rules{"proxy-race"});
}

TEST_CASE(
    "a fence of the constant, texture or surface proxy counts in the thread block of the access alone (D2)") {
  // Thread 0 writes, thread 1 of its block hands on, thread 2 of another block reads.
  const auto read = [](unsigned fencer, Proxy proxy, Proxy by) {
    Scenario s({0, 0, 1});
    s.write(s.thread(0), kX);
    if (fencer == 0) s.proxy_fence(s.thread(0), proxy);
    s.bar({0, 1});
    if (fencer == 1) s.proxy_fence(s.thread(1), proxy);
    s.write(s.thread(1), kFlag, strong(Semantics::release));
    s.read(s.thread(2), kFlag, strong(Semantics::acquire));
    if (fencer == 2) s.proxy_fence(s.thread(2), proxy);
    s.access(Effect::read, s.thread(2), kX, kWeak, by);
    return s.found();
  };
  for (const Proxy proxy : {Proxy::constant, Proxy::texture, Proxy::surface}) {
    CHECK(read(2, proxy, proxy).empty());
    CHECK(read(0, proxy, proxy) == Rules{"proxy-race"});
    CHECK(read(1, proxy, proxy) == Rules{"proxy-race"});
  }
  CHECK(read(2, Proxy::texture, Proxy::constant) == Rules{"proxy-race"});
}

TEST_CASE(
    "the fence of another thread of the block counts, and of an access that came after it, none does (D2)") {
  const auto read = [](bool after) {
    Scenario s({0, 0});
    if (after) s.write(s.thread(0), kX);
    s.bar({0, 1});
    s.proxy_fence(s.thread(1), Proxy::texture);
    if (!after) s.write(s.thread(1), kX);
    s.bar({0, 1});
    s.access(Effect::read, s.thread(0), kX, kWeak, Proxy::texture);
    return s.found();
  };
  CHECK(read(true).empty());
  CHECK(read(false) == Rules{"proxy-race"});
}

TEST_CASE("a tensor map: a release of its proxy in the writer, an acquire of the map in the reader (D32)") {
  const auto map = [](bool release, std::optional<Address> acquired, Scope scope = Scope::gpu) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    if (release) s.proxy_fence(s.thread(0), Proxy::tensormap, strong(Semantics::release, scope));
    s.write(s.thread(0), kFlag, strong(Semantics::release));
    s.read(s.thread(1), kFlag, strong(Semantics::acquire));
    if (acquired) s.acquire_map(s.thread(1), *acquired);
    s.read_map(s.thread(1), kX);
    return s.found();
  };
  CHECK(map(true, kX).empty());
  CHECK(map(true, std::nullopt) == Rules{"proxy-race"});
  CHECK(map(false, kX) == Rules{"proxy-race"});
  CHECK(map(true, kX + 128) == Rules{"proxy-race"});
  CHECK(map(true, kX, Scope::cta) == Rules{"proxy-race"});
  CHECK(map(true, kX, Scope::sys).empty());
}

TEST_CASE(
    "a pair of one-directional fences of the async proxy, around a signal of any strength (9.7.12.4, D32)") {
  const Strength release = strong(Semantics::release, Scope::cluster),
                 acquire = strong(Semantics::acquire, Scope::cluster);
  const auto copied = [&](bool releases, bool acquires, Address from, Scope flag = Scope::gpu) {
    Scenario s({0, 1});
    s.write(s.thread(0), from);
    if (releases) s.proxy_fence(s.thread(0), Proxy::async, release, isa::Space::shared_cta);
    s.write(s.thread(0), kFlag, strong(Semantics::relaxed, flag));
    s.read(s.thread(1), kFlag, strong(Semantics::relaxed, flag));
    if (acquires) s.proxy_fence(s.thread(1), Proxy::async, acquire, isa::Space::shared_cluster);
    s.store(s.thread(1), from, kY);
    return s.found();
  };
  // Nothing but the pair orders them: the rest is relaxed.
  CHECK(copied(true, false, kShared) == Rules{"race"});
  CHECK(copied(false, true, kShared) == Rules{"race"});
  CHECK(copied(true, true, kShared, Scope::cta) == Rules{"race"});
  CHECK(copied(true, true, kShared) == Rules{});
  CHECK(copied(true, true, kX) == Rules{"race"});                // not shared memory
  CHECK(copied(true, true, kShared + 0x1000) == Rules{"race"});  // of the other block
}

TEST_CASE("a fence for the shared memory of one's block is none for that of another one") {
  const auto copied = [&](isa::Space space, unsigned fencer) {
    Scenario s({0, 1});
    s.write(s.thread(0), kShared);
    if (fencer == 0) s.proxy_fence(s.thread(0), Proxy::async, kWeak, space);
    s.write(s.thread(0), kFlag, strong(Semantics::release));
    s.read(s.thread(1), kFlag, strong(Semantics::acquire));
    if (fencer == 1) s.proxy_fence(s.thread(1), Proxy::async, kWeak, space);
    s.store(s.thread(1), kShared, kY);
    return s.found();
  };
  for (const unsigned fencer : {0U, 1U}) {
    CHECK(copied(isa::Space::generic, fencer).empty());
    CHECK(copied(isa::Space::shared_cluster, fencer).empty());
    CHECK(copied(isa::Space::shared_cta, fencer) == (fencer == 0 ? Rules{} : Rules{"proxy-race"}));
  }
}

TEST_CASE(
    "a wait is over for the lanes that its lane has met since (D22), also at tcgen05.wait (9.7.16.8.5)") {
  enum class Meet : std::uint8_t { nowhere, exchange, wait };
  const auto overtaken = [](Meet meet) {
    WithObject s;
    s.detector.warp_sync(++s.line, {0, 3});
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    for (const Thread lane : {0U, 1U}) s.wait(lane, kObject, 0);
    if (meet == Meet::exchange) s.detector.exchange(++s.line, {0, 3});
    if (meet == Meet::wait) s.detector.tensor_wait(++s.line, {0, 3}, false);
    s.arrive(0, kObject, 1);
    s.complete(kObject, 1);
    return s.found();
  };
  CHECK(overtaken(Meet::exchange).empty());
  CHECK(overtaken(Meet::wait).empty());
  CHECK(overtaken(Meet::nowhere) == Rules{"wait-overtaken"});
}

TEST_CASE("a copy that is complete was issued, behind all that its thread did before") {
  const auto overtaken = [](bool copies) {
    WithObject s;
    const Address other = kObject + 8;
    s.detector.mbarrier_init(++s.line, s.thread(0), other, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    s.bar({0, 1});
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(1), kObject, 0);
    if (copies) s.load(s.thread(1), kX, kX + 64, other, 0);
    s.arrive(s.thread(0), other, 0);
    s.complete(other, 0);
    s.wait(s.thread(0), other, 0);
    s.arrive(s.thread(0), kObject, 1);
    s.complete(kObject, 1);
    return s.found();
  };
  CHECK(overtaken(true).empty());
  CHECK(overtaken(false) == Rules{"wait-overtaken"});
}

TEST_CASE(
    "the bytes of an object that was there from the start are no memory, before its first use either "
    "(R194)") {
  const auto found = [](bool before) {
    Scenario s({0, 0});
    if (before) s.read(s.thread(1), kObject + 4);
    s.arrive(s.thread(0), kObject, 0);
    if (!before) s.read(s.thread(1), kObject + 4);
    return s.found();
  };
  CHECK(found(true) == Rules{"mbarrier-misuse"});
  CHECK(found(false) == Rules{"mbarrier-misuse"});
}

TEST_CASE("lanes that read one place and know the same are one; another's write still meets each of them") {
  Scenario s({0, 0});
  std::array<Address, kLanes> begin{};
  begin.fill(kShared);
  s.detector.access({++s.line, {0, ~0U}, Effect::read, Proxy::generic, kWeak, 4, 1, begin, {}, 0, false});
  s.bar({0, 1});  // lane 0 of each warp alone
  s.write(s.thread(1), kShared);
  CHECK(s.found() == Rules{"race"});
}

}  // namespace ptxmc::testing

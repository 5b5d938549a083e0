// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async and clusters: what starts it, what completes it, what tells another CTA; each with what flips it.
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

/// Warps of one warpgroup, and one of another.
struct WithWarpgroup : Scenario {
  WithWarpgroup() : Scenario({0, 0, 0, 0, 0}) {}

  void begin(unsigned warp) { detector.wgmma_fence(++line, {warp, 1}); }
  void multiply(unsigned warp) {
    const std::array<Range, 1> reads{{{kShared, 16}}};
    detector.issue({++line, thread(warp), Proxy::async, Tracking::wgmma, 0, 0, reads, {}, false});
  }
  void commit(unsigned warp) { detector.wgmma_commit(++line, {warp, 1}); }
  void wait(unsigned warp, std::uint32_t pending = 0) { detector.wgmma_wait(++line, {warp, 1}, pending); }
};

}  // namespace

TEST_CASE("wgmma: operands that other threads wrote need a proxy fence and order (R242)") {
  const auto read = [](bool fence, bool meet) {
    WithWarpgroup s;
    s.write(s.thread(4), kShared);
    if (fence) s.proxy_fence(s.thread(4));
    if (meet) s.bar({0, 4});
    s.begin(0);
    s.multiply(0);
    return s.found();
  };
  CHECK(read(true, true).empty());
  CHECK(read(false, true) == Rules{"proxy-race"});
  CHECK(read(true, false) == Rules{"race"});
}

TEST_CASE("wgmma starts at the fence before it, not at the instruction (R244)") {
  const auto read = [](bool behind) {
    WithWarpgroup s;
    s.begin(0);
    s.write(s.thread(4), kShared);
    s.proxy_fence(s.thread(4));
    s.bar({0, 4});
    if (behind) s.begin(0);
    s.multiply(0);
    if (!behind) CHECK(s.detector.findings().at(0).cause.missing == Missing::wgmma_fence);
    return s.found();
  };
  CHECK(read(true).empty());
  CHECK(read(false) == Rules{"race"});
}

TEST_CASE("a proxy fence starts it, too, after the wgmma.fence that the first one needs (R244, R245)") {
  WithWarpgroup s;
  s.begin(0);
  s.write(s.thread(4), kShared);
  s.bar({0, 4});
  s.proxy_fence(s.thread(0));
  s.multiply(0);
  CHECK(s.found().empty());
}

TEST_CASE(
    "wgmma: the buffer is free when the group is waited for, by any warp of the warpgroup (R249, R250)") {
  const auto refilled = [](bool committed, std::uint32_t pending, unsigned waits) {
    WithWarpgroup s;
    for (unsigned warp = 0; warp < 4; ++warp) {
      s.begin(warp);
      s.multiply(warp);
      if (committed) s.commit(warp);
    }
    s.wait(waits, pending);
    s.bar({waits, 4});
    s.proxy_fence(s.thread(4));
    s.load(s.thread(4), kX, kShared, kObject, 0);
    return s.found();
  };
  CHECK(refilled(true, 0, 0).empty());
  CHECK(refilled(true, 0, 3).empty());
  CHECK(refilled(true, 1, 0) == Rules{"race"});
  CHECK(refilled(false, 0, 0) == Rules{"race"});
}

TEST_CASE("a group that is complete was issued by all of the warpgroup (R251)") {
  // Warp 1 waits for phase 0 and multiplies; warp 0 ends phase 1 behind the product, or does not wait for that.
  const auto overtaken = [](bool waits) {
    WithWarpgroup s;
    s.detector.mbarrier_init(++s.line, s.thread(0), kObject, 1);
    s.bar({0, 1});
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    for (const unsigned warp : {0U, 1U}) s.Scenario::wait(s.thread(warp), kObject, 0);
    for (const unsigned warp : {0U, 1U}) {
      s.begin(warp);
      s.multiply(warp);
      s.commit(warp);
    }
    if (waits) s.wait(0);
    s.arrive(s.thread(0), kObject, 1);
    s.complete(kObject, 1);
    return s.found();
  };
  CHECK(overtaken(true).empty());
  CHECK(overtaken(false) == Rules{"wait-overtaken"});
}

TEST_CASE("a group of another warpgroup is not waited for") {
  Scenario s({0, 0, 0, 0, 0, 0});
  const std::array<Range, 1> reads{{{kShared, 16}}};
  s.detector.wgmma_fence(++s.line, {0, 1});
  s.detector.issue({++s.line, 0, Proxy::async, Tracking::wgmma, 0, 0, reads, {}, false});
  s.detector.wgmma_commit(++s.line, {0, 1});
  s.detector.wgmma_commit(++s.line, {4, 1});
  s.detector.wgmma_wait(++s.line, {4, 1}, 0);
  s.load(s.thread(4), kX, kShared, kObject, 0);
  CHECK(s.found() == Rules{"race"});
}

TEST_CASE(
    "an arrival at the object of another CTA: a scope that nobody wrote is a warning of its own (R211)") {
  const auto handed = [](isa::Scope scope, bool is_default, bool waits_by_default = false) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    s.detector.mbarrier_arrive(
        {++s.line, s.thread(0), kObject, 0, strong(Semantics::release, scope), 1, 0, is_default});
    s.complete(kObject, 0);
    s.detector.mbarrier_wait({++s.line, lane_of(s.thread(1)), kObject, true, 0,
                              strong(Semantics::acquire, waits_by_default ? Scope::cta : Scope::cluster),
                              true, waits_by_default});
    s.read(s.thread(1), kX);
    return s.found();
  };
  CHECK(handed(Scope::cluster, false).empty());
  CHECK(handed(Scope::cluster, false, true) == Rules{"remote-arrival"});
  CHECK(handed(Scope::cta, true, true) == Rules{"remote-arrival"});
  CHECK(handed(Scope::cta, false, true) == Rules{"scope-too-narrow"});
  CHECK(handed(Scope::cta, true) == Rules{"remote-arrival"});
  CHECK(handed(Scope::cta, false) == Rules{"scope-too-narrow"});
}

TEST_CASE("fence.mbarrier_init makes inits visible around relaxed synchronization, and nothing else (D24)") {
  const auto made = [](bool fence, Semantics arrive) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    s.detector.mbarrier_init(++s.line, s.thread(0), kObject, 1);
    if (fence) s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    for (const unsigned warp : {0U, 1U}) s.detector.cluster_arrive(++s.line, {warp, 1}, {0, 0}, 0, arrive);
    for (const unsigned warp : {0U, 1U})
      s.detector.cluster_leave(++s.line, {warp, 1}, {0, 0}, 0, Semantics::acquire);
    s.arrive(s.thread(1), kObject, 0, strong(Semantics::release, Scope::cluster));
    const Rules of_object = s.found();
    s.read(s.thread(1), kX);
    return std::pair{of_object, s.found().contains("race") || s.found().contains("missing-acquire")};
  };
  CHECK(made(true, Semantics::relaxed) == std::pair{Rules{}, true});
  CHECK(made(false, Semantics::relaxed) == std::pair{Rules{"mbarrier-uninitialised"}, true});
  CHECK(made(false, Semantics::release) == std::pair{Rules{}, false});
}

TEST_CASE("lanes that make one object at once, with one count, make it once") {
  const auto made = [](std::uint32_t second) {
    Scenario s({0, 0});
    ++s.line;
    s.detector.mbarrier_init(s.line, s.thread(0, 0), kObject, 1);
    s.detector.mbarrier_init(s.line, s.thread(0, 1), kObject, second);
    return s.found(true);
  };
  CHECK(made(1) == Rules{"equal-bytes"});
  CHECK(made(2) == Rules{"race"});
}

TEST_CASE("phases follow each other however they are told: a copy that is complete was issued") {
  const auto arrived = [](bool tracked) {
    Scenario s({0, 1, 1});
    const Address other = kObject + 64;
    // Thread 0 waits for a phase of one object and issues the copy that completes a phase of the other.
    s.arrive(s.thread(1), kObject, 0, strong(Semantics::relaxed, Scope::cta));
    s.complete(kObject, 0);
    s.wait(s.thread(0), kObject, 0, strong(Semantics::relaxed, Scope::cta));
    if (tracked) s.load(s.thread(0), kX, kShared, other, 0);
    s.complete(other, 0);
    s.wait(s.thread(2), other, 0);
    s.arrive(s.thread(2), kObject, 1, strong(Semantics::release, Scope::cluster));
    return s.found(true).contains("phase-not-confluent");
  };
  CHECK_FALSE(arrived(true));
  CHECK(arrived(false));
}

TEST_CASE("copies of one content by lanes of a warp write equal bytes") {
  const auto stored = [](std::uint64_t content) {
    Scenario s({0, 0});
    const std::array<Range, 1> reads{{{kShared, 16}}}, writes{{{kX, 16}}};
    ++s.line;
    for (const std::uint64_t own : {std::uint64_t{1}, content})
      s.detector.issue({s.line, s.thread(0, own == 1 ? 0 : 1), Proxy::async, Tracking::bulk_group, 0, 0,
                        reads, writes, false, own});
    s.detector.issue(
        {s.line, s.thread(0, 2), Proxy::async, Tracking::bulk_group, 0, 0, reads, writes, false, content});
    return s.found();
  };
  CHECK(stored(1).empty());
  CHECK(stored(2) == Rules{"race"});
}

TEST_CASE("the shared memory of another CTA is used before its exit (5.1.7, R18)") {
  // CTA 0 has one thread, CTA 1 two: a CTA lives while one of its threads does.
  const auto visited = [](bool told, unsigned leaves_first) {
    const std::vector<Placement> places{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}, {1, 0, 0, 0, 1}};
    Scenario s(places, false);
    for (std::uint32_t cta = 0; cta < 2; ++cta)
      s.detector.shared_memory(cta, {kShared + cta * 0x1000, 0x1000});
    s.access(Effect::write, s.thread(0), kShared + 0x1000, strong(Semantics::relaxed, Scope::cluster));
    if (told) {
      s.write(s.thread(0), kFlag, strong(Semantics::release, Scope::cluster));
      s.read(s.thread(1), kFlag, strong(Semantics::acquire, Scope::cluster));
    }
    s.detector.exit(++s.line, {leaves_first, 1});
    s.detector.exit(++s.line, {3 - leaves_first, 1});
    return s.found();
  };
  CHECK(visited(true, 1).empty());
  CHECK(visited(true, 2).empty());
  CHECK(visited(false, 1) == Rules{"shared-after-exit"});
}

TEST_CASE("shared memory of another CTA is used behind what shows that it has started (2.2.2)") {
  enum class Shown : std::uint8_t { no, barrier, relaxed_barrier, flag, relaxed_flag, own_flag };
  const auto used = [](Shown how, bool apart = true) {
    Options options;
    options.readings.ctas_start_together = !apart;
    const std::vector<Placement> places{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}};
    Scenario s(places, options);
    for (std::uint32_t cta = 0; cta < 2; ++cta)
      s.detector.shared_memory(cta, {kShared + cta * 0x1000, 0x1000});
    if (how == Shown::barrier || how == Shown::relaxed_barrier) {
      const bool strict = how == Shown::barrier;
      for (const unsigned w : {0U, 1U})
        s.detector.cluster_arrive(++s.line, {w, 1}, {0, 0}, 0,
                                  strict ? Semantics::release : Semantics::relaxed);
      for (const unsigned w : {0U, 1U})
        s.detector.cluster_leave(++s.line, {w, 1}, {0, 0}, 0, Semantics::acquire);
    }
    if (how == Shown::relaxed_flag) {
      s.write(s.thread(1), kFlag, strong(Semantics::relaxed, Scope::cluster));
      s.poll(s.thread(0), kFlag, strong(Semantics::relaxed, Scope::cluster));
    }
    const unsigned sets = how == Shown::own_flag ? 0 : 1;
    if (how == Shown::flag || how == Shown::own_flag) {
      s.write(s.thread(sets), kFlag, strong(Semantics::release, Scope::cluster));
      s.read(s.thread(1 - sets), kFlag, strong(Semantics::acquire, Scope::cluster));
    }
    s.access(Effect::write, s.thread(0), kShared + 0x1000, strong(Semantics::relaxed, Scope::cluster));
    return s.found();
  };
  CHECK(used(Shown::no) == Rules{"shared-before-start"});
  CHECK(used(Shown::no, false).empty());
  CHECK(used(Shown::barrier).empty());
  CHECK(used(Shown::relaxed_barrier).empty());
  CHECK(used(Shown::flag).empty());
  CHECK(used(Shown::relaxed_flag).empty());
  CHECK(used(Shown::own_flag) == Rules{"shared-before-start"});
}

TEST_CASE("each setmaxnreg of a warpgroup comes behind the one before of all its warps (9.7.17.5, R234)") {
  const auto sets = [](bool all_meet, unsigned warps) {
    std::vector<Placement> places;
    for (unsigned w = 0; w < warps; ++w) places.push_back({0, 0, 0, 0, ~std::uint32_t{0}});
    Scenario s(places, false);
    const auto all = [&](auto&& act) {
      for (unsigned w = 0; w < warps; ++w) act(Lanes{w, ~std::uint32_t{0}});
    };
    all([&](Lanes lanes) { s.detector.registers_set(1, lanes); });
    if (all_meet) {
      all([&](Lanes lanes) { s.detector.barrier_arrive(2, lanes, {0, 0}, 0); });
      all([&](Lanes lanes) { s.detector.barrier_leave(2, lanes, {0, 0}, 0); });
    }
    all([&](Lanes lanes) { s.detector.registers_set(3, lanes); });
    return s.found();
  };
  CHECK(sets(true, 4).empty());
  CHECK(sets(false, 4) == Rules{"setmaxnreg-unsynchronized"});
  CHECK(sets(false, 1).empty());
}

TEST_CASE("what comes after the exit is found, too; an arrival is a use; one's own CTA is none") {
  const std::vector<Placement> places{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}};
  const auto used = [&](auto&& use) {
    Scenario s(places, false);
    for (std::uint32_t cta = 0; cta < 2; ++cta)
      s.detector.shared_memory(cta, {kShared + cta * 0x1000, 0x1000});
    s.detector.exit(++s.line, {1, 1});
    use(s);
    return s.found();
  };
  CHECK(used([](Scenario& s) { s.write(s.thread(0), kShared + 0x1000); }) == Rules{"shared-after-exit"});
  CHECK(used([](Scenario& s) { s.arrive(s.thread(0), kShared + 0x1000, 0); }) == Rules{"shared-after-exit"});
  CHECK(used([](Scenario& s) { s.write(s.thread(0), kShared); }).empty());
}

TEST_CASE("an arrival of a commit at another CTA is over when one that the commit gives is") {
  // Thread 0 commits to both CTAs; CTA 1 exits behind a wait for its own phase, for that of CTA 0, or for none.
  const auto committed = [](unsigned waits) {
    const std::vector<Placement> places{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}};
    Scenario s(places, false);
    for (std::uint32_t cta = 0; cta < 2; ++cta)
      s.detector.shared_memory(cta, {kShared + cta * 0x1000, 0x1000});
    ++s.line;
    for (std::uint32_t cta = 0; cta < 2; ++cta) {
      const Address object = kObject + cta * 0x1000;
      s.detector.tensor_commit(
          {s.line, s.thread(0), object, 0, strong(Semantics::release, Scope::cluster), 1, 0}, {1});
      s.complete(object, 0);
    }
    if (waits < 2)
      s.wait(s.thread(1), kObject + waits * 0x1000, 0, strong(Semantics::acquire, Scope::cluster));
    s.exit(1);
    auto found = s.found();
    found.erase("mbarrier-uninitialised");
    return found;
  };
  CHECK(committed(0).empty());
  CHECK(committed(1).empty());
  CHECK(committed(2) == Rules{"exit-in-flight"});
}

}  // namespace ptxmc::testing

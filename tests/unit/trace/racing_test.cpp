// SPDX-License-Identifier: Apache-2.0
// Two accesses that nothing orders: which one was meant to come first, and so what is missing.
#include <doctest/doctest.h>

#include "with_object.h"

namespace ptxmc::testing {

namespace {

/// What is said of the only race.
Finding race_of(const Scenario& s) {
  Finding out;
  std::size_t races = 0;
  for (const Finding& finding : s.detector.findings()) {
    if (finding.rule != RuleId::race) continue;
    out = finding;
    ++races;
  }
  CHECK(races == 1);
  return out;
}

/// Thread 0 fills the bytes, and the phase is over.
void fill(Scenario& s, Phase phase) {
  s.load(s.thread(0), kX, kShared, kObject, phase);
  s.arrive(s.thread(0), kObject, phase);
  s.complete(kObject, phase);
}

}  // namespace

TEST_CASE("who reads shared memory that nobody has written was to wait for the copy that comes later") {
  const auto race = [](bool written) {
    WithObject s;
    if (written) {
      s.write(s.thread(0), kShared);
      s.proxy_fence(s.thread(0));
      s.bar({0, 1});
    }
    s.read(s.thread(1), kShared);
    s.load(s.thread(0), kX, kShared, kObject, 0);
    return race_of(s);
  };
  const Finding late = race(false), other = race(true);
  CHECK(late.late);
  CHECK(late.first.effect == Effect::write);
  CHECK(late.cause.missing == Missing::wait);
  CHECK(late.in_order().first.effect == Effect::read);
  CHECK(!other.late);
  CHECK(other.first.effect == Effect::read);
  CHECK(other.cause.missing == Missing::synchronization);
}

TEST_CASE("global memory may be read before it is written") {
  WithObject s;
  s.read(s.thread(1), kX);
  s.store(s.thread(0), kShared, kX);
  CHECK(!race_of(s).late);
}

TEST_CASE(
    "a copy that refills what is yet to be read comes too early; one that is read anew is not waited for") {
  const auto race = [](bool reads, bool waits) {
    WithObject s;
    fill(s, 0);
    s.wait(s.thread(0), kObject, 0);
    if (waits) s.wait(s.thread(1), kObject, 0);
    if (reads) s.read(s.thread(1), kShared);
    if (reads) s.proxy_fence(s.thread(1));
    if (reads) s.bar({0, 1});
    fill(s, 1);
    s.read(s.thread(1), kShared);
    return race_of(s);
  };
  const Finding early = race(false, true), again = race(true, true), never = race(false, false);
  CHECK(early.late);
  CHECK(early.first.effect == Effect::read);
  CHECK(early.second.operation);
  CHECK(early.cause.missing == Missing::synchronization);
  for (const Finding& finding : {again, never}) {
    CHECK(!finding.late);
    CHECK(finding.first.operation);
    CHECK(finding.cause.missing == Missing::wait);
  }
}

TEST_CASE("who waits for no refill, one after the other, is not to read what was there before") {
  WithObject s;
  for (const Phase phase : {0U, 1U}) {
    fill(s, phase);
    s.read(s.thread(1), kShared);  // and knows of the phase before, from thread 0
    s.wait(s.thread(0), kObject, phase);
    s.proxy_fence(s.thread(1));
    s.bar({0, 1});
  }
  for (const Finding& finding : s.detector.findings()) {
    if (finding.rule != RuleId::race) continue;
    CHECK(!finding.late);
    CHECK(finding.cause.missing == Missing::wait);
  }
}

TEST_CASE("a reader that two refills have overtaken is yet to read what was there before them") {
  WithObject s;
  for (const Phase phase : {0U, 1U, 2U}) {
    fill(s, phase);
    s.wait(s.thread(0), kObject, phase % 2);
    if (phase == 0) s.wait(s.thread(1), kObject, 0);
  }
  s.read(s.thread(1), kShared);
  const Finding finding = race_of(s);
  CHECK(finding.late);
  CHECK(finding.first.effect == Effect::read);
}

TEST_CASE("what one thread met and did not acquire is missing for whoever is behind it") {
  // A CTA writes, meets, and one thread releases; in another CTA one thread reads that, it meets, and another one reads.
  struct Of {
    Strength release = strong(Semantics::release), acquire = strong(Semantics::acquire);
    bool meets = true;
  };
  const auto cause = [](const Of& of) {
    Scenario s({0, 0, 1, 1});
    s.write(s.thread(1), kX);
    s.bar({0, 1});
    s.write(s.thread(0), kFlag, of.release);
    s.read(s.thread(2), kFlag, of.acquire);
    if (of.meets) s.bar({2, 3}, 1);
    s.read(s.thread(3), kX);
    std::set<std::string> out;
    for (const Finding& finding : s.detector.findings()) {
      if (finding.bytes.begin == kX) out.emplace(name_of(finding.rule));
    }
    return out;
  };
  const Strength relaxed = strong(Semantics::relaxed);
  CHECK(cause({}).empty());
  CHECK(cause({.acquire = relaxed}) == Rules{"missing-acquire"});
  CHECK(cause({.acquire = strong(Semantics::acquire, Scope::cta)}) == Rules{"scope-too-narrow"});
  CHECK(cause({.release = strong(Semantics::release, Scope::cta)}) == Rules{"scope-too-narrow"});
  CHECK(cause({.release = relaxed}) == Rules{"race"});
  CHECK(cause({.acquire = relaxed, .meets = false}) == Rules{"race"});
}

TEST_CASE("who waits for a write that releases nothing misses a release there") {
  const auto missing = [](Semantics semantics, bool before) {
    Scenario s({0, 0, 1, 1});
    if (before) s.write(s.thread(1), kX);
    s.bar({0, 1});
    s.write(s.thread(0), kFlag, strong(semantics));
    if (!before) s.write(s.thread(1), kX);
    s.poll(s.thread(2), kFlag, strong(Semantics::acquire));
    s.bar({2, 3}, 1);
    s.read(s.thread(3), kX);
    std::set<Missing> out;
    for (const Finding& finding : s.detector.findings()) out.insert(finding.cause.missing);
    return out;
  };
  CHECK(missing(Semantics::release, true).empty());
  CHECK(missing(Semantics::relaxed, true) == std::set{Missing::release});
  CHECK(missing(Semantics::relaxed, false) == std::set{Missing::synchronization});
}

TEST_CASE("who waits for a counter misses a release at each addition; a store takes its place") {
  const auto missing = [](bool counts) {
    Scenario s({0, 1, 2, 3});
    s.write(s.thread(0), kX);
    s.reduce(s.thread(0), kFlag, strong(Semantics::relaxed));
    if (counts) {
      s.reduce(s.thread(1), kFlag, strong(Semantics::relaxed));
    } else {
      s.write(s.thread(1), kFlag, strong(Semantics::release));
    }
    s.poll(s.thread(2), kFlag, strong(Semantics::acquire));
    s.read(s.thread(2), kX);
    std::set<Missing> out;
    for (const Finding& finding : s.detector.findings()) {
      if (finding.bytes.begin == kX) out.insert(finding.cause.missing);
    }
    return out;
  };
  CHECK(missing(true) == std::set{Missing::release});
  CHECK(missing(false) == std::set{Missing::synchronization});
}

TEST_CASE("a barrier of the cluster at which a relaxed arrival stands misses a release there") {
  const auto missing = [](Semantics semantics) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    for (const unsigned w : {0U, 1U}) s.detector.cluster_arrive(++s.line, {w, 1}, {0, 0}, 0, semantics);
    for (const unsigned w : {0U, 1U})
      s.detector.cluster_leave(++s.line, {w, 1}, {0, 0}, 0, Semantics::acquire);
    s.read(s.thread(1), kX);
    std::set<Missing> out;
    for (const Finding& finding : s.detector.findings()) out.insert(finding.cause.missing);
    return out;
  };
  CHECK(missing(Semantics::release).empty());
  CHECK(missing(Semantics::relaxed) == std::set{Missing::release});
}

}  // namespace ptxmc::testing

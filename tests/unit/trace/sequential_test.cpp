// SPDX-License-Identifier: Apache-2.0
// The order of fence.sc (8.9.3).
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "scenario.h"

namespace ptxmc::testing {

TEST_CASE("fence.sc: what is observed between two of them puts them in an order (8.9.3)") {
  struct Last {
    Scope writer = Scope::gpu, reader = Scope::gpu;
    bool fence = true, sees = true;
    Semantics semantics = Semantics::sc;
  };
  // The threads of a CTA write and fence, they meet, one of them counts the CTA; who counts last meets its own CTA, which
  // fences and reads.
  const auto last_block = [](const Last& of) {
    Scenario s({0, 0, 1, 1});
    const std::vector<unsigned> first{0, 1};
    s.write(s.thread(1), kX);
    for (const unsigned w : first) s.fence(s.thread(w), of.semantics, of.writer);
    s.bar(first, 0);
    s.update(s.thread(0), kFlag, strong(Semantics::relaxed));
    if (of.sees) s.update(s.thread(2), kFlag, strong(Semantics::relaxed));
    s.bar({2, 3}, 1);
    if (of.fence) s.fence(s.thread(3), of.semantics, of.reader);
    s.read(s.thread(3), kX);
    return s.found();
  };
  CHECK(last_block({}).empty());
  CHECK(last_block({.fence = false}) == Rules{"missing-acquire"});
  CHECK(last_block({.sees = false}) == Rules{"race"});
  CHECK(last_block({.writer = Scope::cta}) == Rules{"scope-too-narrow"});
  CHECK(last_block({.reader = Scope::cta}) == Rules{"scope-too-narrow"});
  CHECK(last_block({.semantics = Semantics::acq_rel}).size() == 1);
}

TEST_CASE(
    "fence.sc: behind a write come the accesses before it, where their order is given (8.10.1, 8.10.6)") {
  const Strength relaxed = strong(Semantics::relaxed);
  const auto races = [&](bool given, Effect first, Effect second, bool fence_first = false) {
    Options options;
    if (given) options.turns = {kFlag};
    Scenario s({0, 1}, options);
    s.write(s.thread(0), kX);
    s.fence(s.thread(0), Semantics::sc, Scope::gpu);
    s.access(first, s.thread(0), kFlag, relaxed);
    if (fence_first) s.fence(s.thread(1), Semantics::sc, Scope::gpu);
    s.access(second, s.thread(1), kFlag, relaxed, Proxy::generic, 4, 0, false);
    if (!fence_first) s.fence(s.thread(1), Semantics::sc, Scope::gpu);
    s.read(s.thread(1), kX);
    return !s.found().empty();
  };
  for (const Effect first : {Effect::write, Effect::update}) {
    for (const Effect second : {Effect::write, Effect::update}) {
      CHECK_FALSE(races(true, first, second));
      CHECK(races(false, first, second));
      CHECK(races(true, first, second, true));
    }
    CHECK(races(true, first, Effect::read));  // it may read what was there before
  }
}

TEST_CASE("fence.sc: whoever reads from a write is behind what that is behind, be they weak (8.10.6)") {
  const auto race_on_data = [](Strength write, Strength read, bool decides = true) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    s.fence(s.thread(0), Semantics::sc, Scope::gpu);
    s.write(s.thread(0), kFlag, write);
    s.access(Effect::read, s.thread(1), kFlag, read, Proxy::generic, 4, 0, decides);
    s.fence(s.thread(1), Semantics::sc, Scope::gpu);
    s.read(s.thread(1), kX);
    const auto& findings = s.detector.findings();
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.bytes.begin == kX; });
  };
  const Strength relaxed = strong(Semantics::relaxed), narrow = strong(Semantics::relaxed, Scope::cta);
  for (const Strength& write : {kWeak, narrow, relaxed}) {
    for (const Strength& read : {kWeak, narrow, relaxed}) CHECK_FALSE(race_on_data(write, read));
    CHECK(race_on_data(write, kWeak, false));
  }
}

TEST_CASE("fence.sc: two observations one after the other put nothing in an order") {
  // Thread 1 counts for thread 0; what it writes thread 2 sees, and what that writes, `last`.
  const auto relayed = [](unsigned last) {
    Scenario s({0, 1, 2, 3});
    s.write(s.thread(0), kX);
    s.fence(s.thread(0), Semantics::sc, Scope::gpu);
    s.bar({0, 1});
    s.write(s.thread(1), kFlag, strong(Semantics::relaxed));
    s.read(s.thread(2), kFlag, strong(Semantics::relaxed));
    s.write(s.thread(2), kY, strong(Semantics::relaxed));
    if (last != 2) s.read(s.thread(last), kY, strong(Semantics::relaxed));
    s.fence(s.thread(last), Semantics::sc, Scope::gpu);
    s.read(s.thread(last), kX);
    return s.found();
  };
  CHECK(relayed(1).empty());  // by the barrier
  CHECK(relayed(2).empty());  // by one observation
  CHECK(relayed(3) == Rules{"race"});
}

}  // namespace ptxmc::testing

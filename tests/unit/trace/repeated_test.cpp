// SPDX-License-Identifier: Apache-2.0
// Strong accesses of one location that instructions repeat: what shadow memory keeps of them, against every access.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "scenario.h"

namespace ptxmc::testing {

namespace {

/// An access of the location by a warp's instruction of this number; of number 7, a barrier with the next warp.
struct Step {
  unsigned warp = 0;
  Site number = 0;
  Effect effect = Effect::read;
  Strength strength;
  std::uint64_t value = 0;
  bool decides = true;
};
constexpr unsigned kWarps = 3;

std::vector<Step> draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t length = 6 + seed % 30;
  std::vector<Step> out;
  for (std::size_t i = 0; i < length; ++i) {
    const auto warp = static_cast<unsigned>(random() % kWarps);
    const std::uint64_t what = random() % 20;
    if (what < 7) {
      out.push_back({warp, 0, Effect::write, strong(Semantics::relaxed), 1 + random() % 2});
    } else if (what < 13) {
      out.push_back({warp, 1, Effect::read, strong(Semantics::relaxed), 0, random() % 4 != 0});
    } else if (what < 15) {
      out.push_back({warp, 2, Effect::update, strong(Semantics::relaxed), 0, random() % 2 != 0});
    } else if (what < 16) {
      out.push_back({warp, 3, Effect::read, strong(Semantics::acquire)});
    } else if (what < 17) {
      out.push_back({warp, 4, Effect::write, strong(Semantics::release), 3});
    } else if (what < 18) {
      out.push_back({warp, 7, Effect::read, kWeak});
    } else if (i > length / 2) {
      const bool writes = what == 18;
      out.push_back({warp, writes ? 5U : 6U, writes ? Effect::write : Effect::read, kWeak, writes ? 9U : 0U});
    }
  }
  return out;
}

bool races(const std::vector<Step>& steps, bool all_pairs) {
  Scenario s({0, 1, 2}, all_pairs);
  for (const Step& step : steps) {
    s.line = 8 * step.warp + step.number;
    if (step.number == 7) {
      s.bar({step.warp, (step.warp + 1) % kWarps});
      continue;
    }
    s.access(step.effect, s.thread(step.warp), kFlag, step.strength, Proxy::generic, 4, step.value,
             step.decides);
  }
  return !s.found(true).empty();  // be it of equal bytes
}

/// How often one instruction wrote strongly, at most.
std::size_t most_writes(const std::vector<Step>& steps) {
  std::map<Site, std::size_t> times;
  std::size_t most = 0;
  for (const Step& step : steps) {
    if (step.effect != Effect::read) most = std::max(most, ++times[8 * step.warp + step.number]);
  }
  return most;
}

/// Thread 0 writes `writes` times by one instruction; thread 1 observes those from `first` on, each, by relaxed reads of
/// one instruction, and writes weakly.
bool races_behind(int writes, int first, Effect effect = Effect::write) {
  Scenario s({0, 1});
  for (int i = 1; i <= writes; ++i) {
    s.line = 0;
    s.access(effect, s.thread(0), kFlag, strong(Semantics::relaxed), Proxy::generic, 4,
             effect == Effect::write ? static_cast<std::uint64_t>(i) : 0);
    if (i < first) continue;
    s.line = 1;
    s.read(s.thread(1), kFlag, strong(Semantics::relaxed));
  }
  s.write(s.thread(1), kFlag);
  return !s.found().empty();
}

}  // namespace

TEST_CASE("who has observed some of the writes of an instruction is not behind the others (8.9.5)") {
  for (int writes = 1; writes <= 8; ++writes) {
    for (int first = 2; first <= writes; ++first) CHECK(races_behind(writes, first));
  }
  for (int writes = 1; writes <= 4; ++writes) CHECK_FALSE(races_behind(writes, 1));
  // Each atomic observes the one before.
  for (int writes = 1; writes <= 8; ++writes) CHECK_FALSE(races_behind(writes, writes, Effect::update));
}

TEST_CASE("a read behind an atomic of its own thread is behind what that atomic observed, too") {
  Scenario s({0, 1});
  s.update(s.thread(0), kFlag, strong(Semantics::relaxed));
  s.access(Effect::update, s.thread(1), kFlag, strong(Semantics::relaxed), Proxy::generic, 4, 0, false);
  s.read(s.thread(1), kFlag, strong(Semantics::relaxed));
  s.read(s.thread(1), kFlag);
  CHECK(s.found().empty());
}

TEST_CASE("lanes that write one value by one instruction: a read observes one of them") {
  const auto raced = [](std::uint32_t lanes) {
    Scenario s({0, 1});
    std::array<Address, kLanes> begin{};
    begin.fill(kFlag);
    std::array<std::uint64_t, kLanes> values{};
    values.fill(7);
    Access a{1,  {0, lanes}, Effect::write, Proxy::generic, strong(Semantics::relaxed), 4, 1, begin,
             {}, 0,          true};
    a.written = values;
    s.detector.access(a);
    s.line = 1;
    s.read(s.thread(1), kFlag, strong(Semantics::relaxed));
    s.write(s.thread(1), kFlag);
    return !s.found().empty();
  };
  CHECK_FALSE(raced(1));
  CHECK(raced(3));
}

TEST_CASE("lanes that read by one instruction: each is behind what it observes itself (8.9.5)") {
  const auto raced = [](unsigned lane) {
    Scenario s({0, 1});
    s.write(s.thread(0), kFlag, strong(Semantics::relaxed));
    std::array<Address, kLanes> begin{};
    begin.fill(kFlag);
    s.detector.access({2, {1, 3}, Effect::read, Proxy::generic, strong(Semantics::relaxed), 4, 1, begin, {}});
    s.line = 2;
    s.read(s.thread(1, lane), kFlag);
    return !s.found().empty();
  };
  CHECK_FALSE(raced(0));
  CHECK_FALSE(raced(1));
  CHECK(raced(2));
}

TEST_CASE("no race is lost in what shadow memory forgets of repeated accesses, and none is made up of few") {
  std::size_t racy = 0, equal = 0;
  constexpr std::uint64_t kSeeds = 4000;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<Step> steps = draw(seed);
    const bool every = races(steps, true), last = races(steps, false);
    INFO("seed ", seed);
    CHECK((!every || last));
    racy += every ? 1 : 0;
    if (most_writes(steps) > 4) continue;
    CHECK(every == last);
    ++equal;
  }
  CHECK(racy > kSeeds / 10);
  CHECK(racy < kSeeds - kSeeds / 10);
  CHECK(equal > kSeeds / 10);
}

}  // namespace ptxmc::testing

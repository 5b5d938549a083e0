// SPDX-License-Identifier: Apache-2.0
// Writes of equal values: when they are, and what they do not hide.
#include <doctest/doctest.h>

#include <array>

#include "dynamic/shadow/values.h"
#include "scenario.h"

using namespace ptxmc::testing;

namespace {

constexpr Thread kFirst = 0, kSecond = kLanes;  // of two CTAs

/// Threads of some CTAs, in which values are compared.
struct Exact : Scenario {
  explicit Exact(const std::vector<std::uint32_t>& ctas = {0, 1})
      : Scenario(ctas, Options{.exact_values = true}) {}
};

void put(Scenario& s, Thread thread, std::uint64_t value, std::uint8_t bytes = 4) {
  s.access(Effect::write, thread, kX, kWeak, Proxy::generic, bytes, value);
}

}  // namespace

TEST_CASE("two writes of one value are a note, of two values a race") {
  Exact same, other;
  put(same, kFirst, 1);
  put(same, kSecond, 1);
  CHECK(same.found(true) == Rules{"equal-bytes"});
  put(other, kFirst, 1);
  put(other, kSecond, 2);
  CHECK(other.found() == Rules{"race"});
}

TEST_CASE("a write of an equal value takes the place of nothing that stood before the other") {
  Exact read, write, before;
  read.read(kFirst, kX);
  put(read, kFirst, 1);
  put(read, kSecond, 1);
  CHECK(read.found() == Rules{"race"});
  put(write, kFirst, 5);
  put(write, kFirst, 1);
  put(write, kSecond, 1);
  CHECK(write.found() == Rules{"race"});
  before.read(kFirst, kX);
  before.bar({0, 1});
  put(before, kFirst, 1);
  put(before, kSecond, 1);
  CHECK(before.found(true) == Rules{"equal-bytes"});
}

TEST_CASE("whichever value comes last, another one stands before it") {
  for (const std::uint64_t value : {1, 2}) {
    Exact s;
    for (unsigned i = 0; i < 4; ++i) {
      s.read(kFirst, kX);
      put(s, kFirst, i % 2 + 1);
    }
    put(s, kSecond, value);
    CHECK(s.found() == Rules{"race"});
  }
}

TEST_CASE("of more equal writes than are remembered something may be hidden, if something else comes") {
  const std::vector<std::uint32_t> ctas(300, 0);
  Exact s(ctas);
  for (Thread warp = 0; warp < ctas.size(); ++warp) put(s, warp * kLanes, 1);
  CHECK(!s.detector.left_open().equal_writes);
  s.read(0, kX);
  CHECK(s.detector.left_open().equal_writes);
}

TEST_CASE("values are compared, and a hash says only that two differ") {
  using ptxmc::trace::Values;
  for (const bool compares : {false, true}) {
    Values values(compares);
    const std::array<std::uint64_t, 2> a{1, 2}, b{2, 1};
    CHECK(values.find(Values::Of::known, a) == values.find(Values::Of::known, a));
    CHECK(values.find(Values::Of::known, a) != values.find(Values::Of::known, b));
    CHECK(values.find(Values::Of::known, a) != values.find(Values::Of::open, a));
    CHECK(values.find(Values::Of::known, a) % 2 == 1);
  }
  Values values(true);
  std::set<std::uint32_t> numbers;
  for (std::uint64_t word = 0; word < 100'000; ++word)
    numbers.insert(values.find(Values::Of::known, std::array{word << 32U}));
  CHECK(numbers.size() == 100'000);
}

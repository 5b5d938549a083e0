// SPDX-License-Identifier: Apache-2.0
#include "support/recursion.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>

using ptxmc::Recursion;

namespace {

/// Recursion by the size of its input, with a frame of some bytes.
class Ladder {
 public:
  std::size_t climb(std::size_t rungs) {
    volatile char frame[512] = {};
    if (rungs == 0) return static_cast<std::size_t>(frame[0]);
    return recursion_.deeper([&] { return climb(rungs - 1); }) + 1 + static_cast<std::size_t>(frame[1]);
  }
  void fall(std::size_t rungs) {
    if (rungs == 0) throw std::runtime_error("the ladder ends");
    recursion_.deeper([&] { fall(rungs - 1); });
  }

 private:
  Recursion recursion_;
};

}  // namespace

TEST_CASE("recursion deeper than a thread's stack allows") {
  Ladder ladder;
  CHECK(ladder.climb(10) == 10);
  CHECK(ladder.climb(40'000) == 40'000);
  CHECK(ladder.climb(40'000) == 40'000);
}

TEST_CASE("an exception passes through all stacks, and the levels are counted down") {
  Ladder ladder;
  for (int turn = 0; turn < 2; ++turn)
    CHECK_THROWS_WITH_AS(ladder.fall(2'000), "the ladder ends", std::runtime_error);
  CHECK(ladder.climb(2'000) == 2'000);
}

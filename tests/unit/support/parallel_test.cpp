// SPDX-License-Identifier: Apache-2.0
#include "support/parallel.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace ptxmc;

TEST_CASE("each index once, on any number of threads") {
  for (const std::size_t jobs : {0U, 1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 1000U}) {
      std::vector<std::atomic<int>> done(count);
      in_parallel(count, jobs, [&](std::size_t i) { ++done[i]; });
      for (const auto& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("what the least index threw is thrown") {
  for (const std::size_t jobs : {1U, 2U, 4U}) {
    std::string message;
    try {
      in_parallel(100, jobs, [](std::size_t i) {
        if (i >= 3) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "3");
  }
}

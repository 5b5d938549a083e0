// SPDX-License-Identifier: Apache-2.0
#include "input/launch/open_bytes.h"

#include <doctest/doctest.h>

#include <random>

using ptxmc::launch::OpenBytes;
using ptxmc::program::Extent;

TEST_CASE("ranges of bytes go in and out") {
  OpenBytes open;
  open.put_in({0, 100});
  open.take_out({10, 10});
  open.take_out({0, 0});
  CHECK(open.ranges() == std::vector<Extent>{{0, 10}, {20, 80}});
  open.put_in({10, 10});  // what touches is one
  CHECK(open.ranges() == std::vector<Extent>{{0, 100}});
  open.take_out({90, 50});
  open.take_out({0, 5});
  CHECK(open.ranges() == std::vector<Extent>{{5, 85}});
}

TEST_CASE("ranges of bytes are a set of bytes") {
  constexpr std::uint64_t kBytes = 64;
  std::mt19937_64 random(7);  // NOLINT: the same each time
  OpenBytes open;
  std::vector<bool> expected(kBytes, false);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t begin = random() % kBytes, bytes = random() % (kBytes - begin + 1);
    const bool in = random() % 2 != 0;
    if (in) open.put_in({begin, bytes});
    if (!in) open.take_out({begin, bytes});
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(begin), bytes, in);
    std::vector<bool> found(kBytes, false);
    std::uint64_t end = 0;
    for (const Extent& extent : open.ranges()) {
      CHECK((end == 0 || extent.begin > end));
      std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(extent.begin), extent.bytes, true);
      end = extent.end();
    }
    CHECK(found == expected);
  }
}

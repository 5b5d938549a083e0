// SPDX-License-Identifier: Apache-2.0
// Which CTAs of a grid meet in global memory, told from some of them.
#include "dynamic/shadow/grid.h"

#include <doctest/doctest.h>

namespace ptxmc::trace {
namespace {

constexpr Address kOut = 0x1000000;
constexpr Touched kStore{7, Touch::write};

/// What a CTA of so many bytes stores when its place is scaled by so many bytes along each axis.
Footprints::OfCta stores(std::uint64_t x, std::uint64_t y, Address by_x, Address by_y, Address bytes) {
  const Address at = kOut + x * by_x + y * by_y;
  return {{kStore, {{at, at + bytes}}}};
}

Compared compare_moved(Address by_x, Address by_y, Address bytes,
                       std::array<std::uint64_t, 3> cluster = {1, 1, 1}) {
  const GridShape grid{{100, 50, 1}, cluster, {0, 1, 100, 4999}};
  return compare({stores(0, 0, by_x, by_y, bytes), stores(1, 0, by_x, by_y, bytes),
                  stores(0, 1, by_x, by_y, bytes), stores(99, 49, by_x, by_y, bytes)},
                 grid, 6);
}

}  // namespace

TEST_CASE("tiles side by side do not meet, and a byte more does") {
  CHECK(compare_moved(64, 6400, 64).meet.empty());
  const Compared over = compare_moved(64, 6400, 65);
  CHECK(over.followed == 1);
  CHECK(over.ctas == 5000);
  REQUIRE(over.meet.size() >= 2);
  CHECK(over.meet[1] == over.meet[0] + 1);
  // Only the rows do.
  const Compared rows = compare_moved(64, 6400 - 64, 64);
  REQUIRE(rows.meet.size() >= 2);
}

TEST_CASE("CTAs of a cluster ran together: they are not compared") {
  CHECK(compare_moved(64, 12800, 65, {100, 1, 1}).meet.empty());
  CHECK(compare_moved(64, 12800, 65, {50, 1, 1}).meet == std::vector<std::uint64_t>{49, 50});
}

TEST_CASE("what does not move by as much from CTA to CTA is not known") {
  const GridShape grid{{100, 1, 1}, {1, 1, 1}, {0, 1, 99}};
  const Compared none =
      compare({stores(0, 0, 64, 0, 64), stores(1, 0, 64, 0, 64), stores(5, 0, 64, 0, 64)}, grid, 6);
  CHECK(none.instructions == 1);
  CHECK(none.followed == 0);
  // One at the edge does less.
  const Compared edge =
      compare({stores(0, 0, 64, 0, 64), stores(1, 0, 64, 0, 64), stores(99, 0, 64, 0, 32)}, grid, 6);
  CHECK(edge.followed == 1);
}

TEST_CASE("CTAs that did run may meet where nothing is known of the others") {
  const GridShape grid{{100, 1, 1}, {1, 1, 1}, {0, 1, 99}};
  const Compared some =
      compare({stores(0, 0, 64, 0, 64), stores(1, 0, 64, 0, 64), stores(0, 0, 64, 0, 64)}, grid, 6);
  CHECK(some.followed == 0);
  CHECK(some.meet == std::vector<std::uint64_t>{0, 99});
}

TEST_CASE("of CTAs that all ran, what they accessed is compared; atomics do not meet each other") {
  const GridShape grid{{3, 1, 1}, {1, 1, 1}, {0, 1, 2}};
  const Footprints::OfCta one = {{kStore, {{kOut, kOut + 4}}}}, other = {{kStore, {{kOut + 8, kOut + 12}}}};
  CHECK(compare({one, other, one}, grid, 6).meet == std::vector<std::uint64_t>{0, 2});
  const Footprints::OfCta strong = {{{7, Touch::strong}, {{kOut, kOut + 4}}}};
  CHECK(compare({strong, strong, strong}, grid, 6).meet.empty());
  CHECK(compare({strong, other, one}, grid, 6).meet == std::vector<std::uint64_t>{0, 2});
}

}  // namespace ptxmc::trace

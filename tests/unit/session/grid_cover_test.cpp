// SPDX-License-Identifier: Apache-2.0
// Functions of the place of a block, and which blocks are like those that ran.
#include "dynamic/exec/grid_cover.h"

#include <doctest/doctest.h>

namespace ptxmc::exec {
namespace {

constexpr trace::Address kOut = 0x1000000;
constexpr GridMoves::Sides kGrid = {100, 50, 1}, kAlone = {1, 1, 1};

Move of(GridMoves& moves, unsigned bits, std::uint64_t (*function)(std::uint64_t x, std::uint64_t y)) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t place = 0; place < moves.places(); ++place)
    values.push_back(function(place % kGrid[0], place / kGrid[0]));
  return moves.of_values(values, bits);
}

/// So many bytes at 64 times the place.
GridCover tiles(std::uint64_t bytes, GridTouch touch = GridTouch::write) {
  GridCover out(kGrid, kAlone, {});
  GridMoves& moves = out.moves;
  out.add_place(0);
  const Move move = moves.sum(moves.along(0, 64), moves.along(1, 6400), false, 64);
  out.touch(0, {move, touch, static_cast<std::uint8_t>(touch == GridTouch::atomic ? 4 : 0)}, {kOut, bytes});
  return out;
}

}  // namespace

TEST_CASE("a sum that is computed for each place is the sum that a rule gives") {
  GridMoves moves(kGrid, kAlone);
  const Move x = moves.along(0, 3), y = moves.along(1, -5);
  CHECK(of(moves, 32, [](std::uint64_t at, std::uint64_t) { return 3 * at + 17; }) == x);
  CHECK(moves.sum(x, y, false, 32) ==
        of(moves, 32, [](std::uint64_t a, std::uint64_t b) { return (3 * a - 5 * b) & 0xffffffff; }));
  CHECK(moves.sum(x, x, true, 32) == kStill);
  CHECK(moves.times(x, std::uint64_t{1} << 32U, 32) == kStill);
  CHECK(of(moves, 64, [](std::uint64_t, std::uint64_t) { return std::uint64_t{7}; }) == kStill);
}

TEST_CASE("lanes that divide share a function") {
  GridMoves moves(kGrid, kAlone);
  const Move by_four = of(moves, 32, [](std::uint64_t x, std::uint64_t) { return x / 4; });
  CHECK(by_four == of(moves, 32, [](std::uint64_t x, std::uint64_t) { return (x + 400) / 4; }));
  CHECK(by_four != of(moves, 32, [](std::uint64_t x, std::uint64_t) { return (x + 1) / 4; }));
  CHECK(moves.range(by_four).least == 0);
  CHECK(moves.range(by_four).most == 24);
  CHECK(moves.steps_by(moves.times(by_four, 16, 64), 16));
  CHECK(!moves.steps_by(by_four, 2));
}

TEST_CASE("factors that wrap around are no difference of numbers") {
  GridMoves moves(kGrid, kAlone);
  const Move far = moves.along(0, std::int64_t{1} << 62U);
  CHECK(moves.difference(far, moves.times(far, ~std::uint64_t{0}, 64)) == kAnyhow);
}

TEST_CASE("the blocks of a cluster have one place") {
  const GridMoves moves({3, 2, 1}, {2, 2, 1});
  CHECK(moves.place_of_block(0) == 0);
  CHECK(moves.place_of_block(7) == 0);
  CHECK(moves.place_of_block(2) == 1);
  CHECK(moves.place_of_block(12) == 3);
  for (std::uint64_t place = 0; place < moves.places(); ++place)
    CHECK(moves.place_of_block(moves.block_at(place)) == place);
}

TEST_CASE("tiles side by side do not meet, and a byte more does") {
  using enum GridCover::Verdict;
  CHECK(tiles(64).judge().verdict == covered);
  GridCover over = tiles(65);
  const GridCover::Answer answer = over.judge();
  CHECK(answer.verdict == meet);
  CHECK(answer.blocks == std::vector<std::uint64_t>{0, 1});
  CHECK(tiles(65, GridTouch::read).judge().verdict == covered);
  CHECK(tiles(65, GridTouch::atomic).judge().verdict == covered);
}

TEST_CASE("ranges of one block that move differently must not overlap") {
  GridCover cover = tiles(64);
  cover.touch(0, {kStill, GridTouch::read, 0}, {kOut + 64 * 4999, 4});
  CHECK(cover.judge().verdict == GridCover::Verdict::meet);
}

TEST_CASE("a block that meets no condition is named, and so is what is refused") {
  GridCover cover = tiles(64);
  cover.require(0, cover.moves.along(0, 1), 0, 98);
  const GridCover::Answer more = cover.judge();
  CHECK(more.verdict == GridCover::Verdict::more);
  CHECK(more.blocks == std::vector<std::uint64_t>{99});
  cover.refuse(4);
  CHECK(cover.judge().verdict == GridCover::Verdict::refused);
  CHECK(cover.judge().refused.contains(4));
}

}  // namespace ptxmc::exec

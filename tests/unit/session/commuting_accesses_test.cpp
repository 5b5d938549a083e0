// SPDX-License-Identifier: Apache-2.0
// Turns whose order makes no difference.
#include "dynamic/explore/commuting_accesses.h"

#include <doctest/doctest.h>

#include <optional>

using namespace ptxmc;
using explore::blocks_of;

namespace {

exec::ContendedAccess counts(std::uint64_t read, std::vector<std::uint64_t> compared,
                             std::uint64_t adds = 1) {
  static trace::Thread next = 0;
  exec::ContendedAccess out;
  out.thread = next++;
  out.counted = exec::ContendedAccess::Counted{read, isa::AtomicOp::add, adds, std::move(compared)};
  return out;
}

/// Whose result is looked at by its sign alone.
exec::ContendedAccess signs(std::uint64_t read, std::uint64_t adds) {
  exec::ContendedAccess out = counts(read, {}, adds);
  out.counted->looked_at = 0x80000000U;
  return out;
}

using Numbers = std::vector<std::size_t>;

}  // namespace

TEST_CASE("all but the last of a count may change places") {
  CHECK(explore::blocks_of({counts(0, {3}), counts(1, {3}), counts(2, {3}), counts(3, {3})}) ==
        Numbers{0, 0, 0, 3});
  CHECK(explore::in_blocks({0, 0, 0, 3}) == std::set<std::size_t>{0, 1, 2});
}

TEST_CASE("whoever reads what it compares with, or another does, is on its own") {
  CHECK(explore::blocks_of({counts(0, {0}), counts(1, {0}), counts(2, {0})}) == Numbers{0, 1, 1});
  CHECK(explore::blocks_of({counts(0, {1}), counts(1, {1}), counts(2, {1}), counts(3, {1})}) ==
        Numbers{0, 1, 2, 2});
  // The second would read 0 if it came first, and go another way.
  CHECK(explore::blocks_of({counts(0, {5}), counts(1, {0})}) == Numbers{0, 1});
  CHECK(explore::blocks_of({counts(0, {1}), counts(1, {5})}) == Numbers{0, 1});
}

TEST_CASE("what adds another number, writes, or is used otherwise stands between blocks") {
  CHECK(explore::blocks_of({counts(0, {9}), counts(1, {9}, 2), counts(3, {9})}) == Numbers{0, 1, 2});
  exec::ContendedAccess reset;
  CHECK(explore::blocks_of({counts(0, {9}), reset, counts(0, {9}), counts(1, {9})}) == Numbers{0, 1, 2, 2});
  exec::ContendedAccess elsewhere = counts(0, {9});
  elsewhere.at = 64;
  CHECK(explore::blocks_of({counts(0, {9}), elsewhere, counts(1, {9})}) == Numbers{0, 1, 0});
}

TEST_CASE("numbers that carry into no bit that is looked at may be added in any order") {
  // A barrier of a grid: the last arrival of a phase flips the sign, whoever it is.
  constexpr std::uint64_t kFirst = 0x80000000U - 2;  // of three threads
  CHECK(explore::blocks_of({signs(0, 1), signs(1, kFirst), signs(kFirst + 1, 1)}) == Numbers{0, 0, 0});
  CHECK(explore::blocks_of({signs(0x80000000U, 1), signs(0x80000001U, kFirst), signs(0xffffffffU, 1)}) ==
        Numbers{0, 0, 0});
  // The fourth would carry into the sign that another one reads.
  CHECK(explore::blocks_of({signs(0, 1), signs(1, kFirst), signs(kFirst + 1, 1), signs(0x80000000U, 1)}) ==
        Numbers{0, 0, 0, 3});
  CHECK(explore::blocks_of({signs(0, 0x80000000U), signs(0x80000000U, 1)}) == Numbers{0, 1});
  CHECK(explore::blocks_of({signs(0, 1), counts(1, {9})}) == Numbers{0, 1});
}

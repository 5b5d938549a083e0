// SPDX-License-Identifier: Apache-2.0
// Turns at several locations, of which some execution may have no order.
#include "dynamic/explore/interleaving_completeness.h"

#include <doctest/doctest.h>

#include <set>

using namespace ptxmc;

namespace {

constexpr trace::Address kX = 8, kY = 16;

/// Turns in their order; each comes behind the turns of its thread, and what `behind` says beside.
struct Drawn {
  explore::TurnOrder order;

  std::size_t add(trace::Thread thread, trace::Address at, bool reads, bool writes,
                  std::set<std::size_t> behind = {}, bool fenced = false) {
    const std::size_t number = order.turns.size();
    for (std::size_t i = 0; i < number; ++i) {
      if (order.turns[i].thread == thread) behind.insert(i);
    }
    for (const std::size_t i : std::set<std::size_t>(behind))
      behind.insert(order.before[i].begin(), order.before[i].end());
    order.turns.push_back({at, thread, 0, reads, writes,
                           fenced ? exec::ContendedAccess::Fenced::all : exec::ContendedAccess::Fenced::no});
    order.before.push_back(std::move(behind));
    return number;
  }
  std::size_t read(trace::Thread thread, trace::Address at, std::set<std::size_t> behind = {},
                   bool fenced = false) {
    return add(thread, at, true, false, std::move(behind), fenced);
  }
  std::size_t write(trace::Thread thread, trace::Address at, std::set<std::size_t> behind = {},
                    bool fenced = false) {
    return add(thread, at, false, true, std::move(behind), fenced);
  }
  bool interleaves() const { return explore::all_interleave(order); }

  exec::ContendedAccess& turn(std::size_t number) { return order.turns[number]; }
  /// A compare-and-swap that takes a lock which is 0 by 1, again and again until it is free.
  std::size_t take(trace::Thread thread, trace::Address at, std::set<std::size_t> behind = {}) {
    const std::size_t out = add(thread, at, true, true, std::move(behind));
    exec::ContendedAccess& own = turn(out);
    own.found = own.compared = 0;
    own.swaps = own.tries = true;
    own.refused = {1};
    return out;
  }
  std::size_t give(trace::Thread thread, trace::Address at) {
    const std::size_t out = write(thread, at);
    turn(out).found = 1;
    return out;
  }
  /// Scopes that include all threads.
  void make_strong() {
    for (exec::ContendedAccess& own : order.turns) own.strong = 4;
  }
};

}  // namespace

TEST_CASE(
    "each of two threads may read what was there before the other's write, but for a fence.sc in both") {
  const auto store_buffering = [](bool first, bool second) {
    Drawn d;
    d.write(0, kX);
    d.read(0, kY, {}, first);
    d.write(1, kY);
    d.read(1, kX, {}, second);
    return d.interleaves();
  };
  CHECK(store_buffering(true, true));
  CHECK_FALSE(store_buffering(true, false));
  CHECK_FALSE(store_buffering(false, true));
  CHECK_FALSE(store_buffering(false, false));
}

TEST_CASE("two readers see two writes in one order, if a fence.sc stands between the reads of each") {
  const auto readers = [](bool first, bool second) {
    Drawn d;
    d.write(1, kY);
    d.read(3, kY);
    d.read(3, kX, {}, first);
    d.write(0, kX);
    d.read(2, kX);
    d.read(2, kY, {}, second);
    return d.interleaves();
  };
  CHECK(readers(true, true));
  CHECK_FALSE(readers(true, false));
  CHECK_FALSE(readers(false, true));
}

TEST_CASE("whoever is behind a write reads nothing older") {
  const auto message = [](bool ordered) {
    Drawn d;
    const std::size_t data = d.write(0, kX);
    const std::size_t flag = d.write(0, kY);
    d.read(1, kY);
    d.read(1, kX, ordered ? std::set{data, flag} : std::set<std::size_t>{});
    return d.interleaves();
  };
  CHECK(message(true));
  CHECK_FALSE(message(false));
}

TEST_CASE("writes at two locations, each before the other's") {
  Drawn d;
  d.write(0, kX);
  d.write(0, kY);
  d.write(1, kY);
  d.write(1, kX);
  CHECK_FALSE(d.interleaves());
}

TEST_CASE("two reads may be ahead of the writes behind them, unless one of them is not") {
  const auto load_buffering = [](bool ordered) {
    Drawn d;
    d.read(0, kX);
    const std::size_t first = d.write(0, kY);
    d.read(1, kY);
    d.write(1, kX, ordered ? std::set{first} : std::set<std::size_t>{});
    return d.interleaves();
  };
  CHECK(load_buffering(true));
  CHECK_FALSE(load_buffering(false));
}

TEST_CASE("two locks, one given back before the other is taken") {
  Drawn d;
  d.add(0, kX, true, true);
  const std::size_t first = d.write(0, kX);
  d.add(0, kY, true, true);
  const std::size_t second = d.write(0, kY);
  d.add(1, kX, true, true);
  d.write(1, kX, {first});
  d.add(1, kY, true, true);
  d.write(1, kY, {second});
  CHECK(d.interleaves());
}

TEST_CASE("a status is told twice, and who reads it looks at another one then") {
  // Look-back: 0 writes X; 1 writes Y, reads X, and writes Y again; 2 reads Y before or behind that, and then X.
  for (const bool late : {false, true}) {
    Drawn d;
    const std::size_t prefix = d.write(0, kX);
    const std::size_t partial = d.write(1, kY);
    if (!late) d.read(2, kY);
    d.read(1, kX);
    const std::size_t whole = d.write(1, kY, {prefix});
    if (late) d.read(2, kY);
    d.read(2, kX, late ? std::set{whole} : std::set{partial});
    CHECK(d.interleaves());
  }
}

TEST_CASE("turns that may change places stand in any order") {
  const auto counted = [](bool alike) {
    Drawn d;
    d.add(0, kX, true, true);
    d.read(1, kY);
    d.add(1, kX, true, true);
    d.write(0, kY);
    d.order.blocks = {0, 1, alike ? std::size_t{0} : std::size_t{2}, 3};
    return d.interleaves();
  };
  CHECK_FALSE(counted(true));
  CHECK(counted(false));
}

namespace {

constexpr trace::Address kLock = 24;

/// Store buffering, and in each thread a lock taken and given back between the write and the read.
struct LockBetween : Drawn {
  std::size_t take_first = 0, give_first = 0, take_second = 0, give_second = 0;
  LockBetween() {
    write(0, kX);
    take_first = take(0, kLock);
    give_first = give(0, kLock);
    read(0, kY);
    write(1, kY);
    take_second = take(1, kLock);
    // What it reads from is released and acquired.
    give_second = write(1, kLock, {give_first});
    turn(give_second).found = 1;
    read(1, kX, {give_first});
    make_strong();
  }
};

}  // namespace

TEST_CASE("a lock between a write and a read orders them as a fence does: it is never taken twice at once") {
  CHECK(LockBetween().interleaves());
}

TEST_CASE(
    "a write has a place before a plain write, and before an atomic whose scope is not known to include it") {
  LockBetween plain;
  plain.turn(plain.take_first).reads = false;
  CHECK_FALSE(plain.interleaves());
  LockBetween narrow;
  narrow.turn(narrow.take_first).strong = 0;
  CHECK_FALSE(narrow.interleaves());
  LockBetween other;
  other.turn(other.give_first).strong = 0;
  CHECK_FALSE(other.interleaves());
  LockBetween wide;
  wide.turn(wide.take_second).strong = 8;
  CHECK_FALSE(wide.interleaves());
}

TEST_CASE("a swap has a place where it finds what it needs, but for an atomic directly behind it") {
  LockBetween fits;
  fits.turn(fits.take_second).refused = {};
  CHECK_FALSE(fits.interleaves());
  fits.turn(fits.give_first).reads = true;  // given back by an exchange: a swap that fails may read before it
  CHECK_FALSE(fits.interleaves());
  fits.turn(fits.take_second).compared =
      1;  // it would write there; and before the first atomic it would fail
  CHECK_FALSE(fits.interleaves());
  fits.turn(fits.take_first).found = 1;
  CHECK(fits.interleaves());
}

TEST_CASE("an exchange writes whatever it finds") {
  LockBetween exchanged;
  exchanged.turn(exchanged.take_second).swaps = false;
  CHECK(exchanged.interleaves());  // of a loop: with 1 it goes round
  exchanged.turn(exchanged.take_second).refused = {};
  CHECK_FALSE(exchanged.interleaves());  // it has its place before the lock is given back
  exchanged.turn(exchanged.give_first).reads = true;
  CHECK(exchanged.interleaves());
}

TEST_CASE("what is not sure excludes no place") {
  LockBetween found;
  found.turn(found.take_first).found.reset();
  CHECK_FALSE(found.interleaves());
  LockBetween left;
  left.turn(left.give_first).found.reset();
  CHECK_FALSE(left.interleaves());
  LockBetween compared;
  compared.turn(compared.take_second).compared.reset();
  CHECK_FALSE(compared.interleaves());
}

TEST_CASE(
    "tries that fail and have turns, and turns that may change places, exclude nothing by what a loop waits "
    "for") {
  LockBetween fails;
  const std::size_t failed = fails.take(2, kLock);
  fails.turn(failed).writes = false;
  fails.make_strong();
  CHECK_FALSE(fails.interleaves());
  LockBetween alike;
  for (std::size_t i = 0; i < alike.order.turns.size(); ++i) alike.order.blocks.push_back(i);
  CHECK_FALSE(alike.interleaves());
}

TEST_CASE("a lock between that is given back without a release orders nothing") {
  LockBetween relaxed;
  relaxed.order.before[relaxed.give_second].erase(relaxed.give_first);
  for (std::set<std::size_t>& before : relaxed.order.before) {
    if (!before.contains(relaxed.take_second)) continue;
    for (std::size_t i = 0; i <= relaxed.give_first; ++i) before.erase(i);
  }
  CHECK_FALSE(relaxed.interleaves());
}

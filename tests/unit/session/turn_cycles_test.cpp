// SPDX-License-Identifier: Apache-2.0
// Turns at several locations, of which some execution may have no order.
#include "session/turn_cycles.h"

#include <doctest/doctest.h>

#include <set>

using namespace ptxmc;

namespace {

constexpr trace::Address kX = 8, kY = 16;

/// Turns in their order; each comes behind the turns of its thread, and what `behind` says beside.
struct Drawn {
  session::TurnOrder order;

  std::size_t add(trace::Thread thread, trace::Address at, bool reads, bool writes,
                  std::set<std::size_t> behind = {}, bool fenced = false) {
    const std::size_t number = order.turns.size();
    for (std::size_t i = 0; i < number; ++i) {
      if (order.turns[i].thread == thread) behind.insert(i);
    }
    for (const std::size_t i : std::set<std::size_t>(behind))
      behind.insert(order.before[i].begin(), order.before[i].end());
    order.turns.push_back(
        {at, thread, 0, reads, writes, fenced ? kernel::Turn::Fenced::all : kernel::Turn::Fenced::no});
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
  bool interleaves() const { return session::all_interleave(order); }
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

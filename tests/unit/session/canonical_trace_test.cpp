// SPDX-License-Identifier: Apache-2.0
// Orders of contended accesses of which one stands for others: those that swaps of neighbours without a conflict lead to.
#include "dynamic/explore/canonical_trace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <tuple>
#include <vector>

using namespace ptxmc;
using exec::ContendedAccess;
using explore::begins_with;
using explore::canonical_trace_of;

namespace {

ContendedAccess access(trace::Thread thread, trace::Address at, bool writes) {
  ContendedAccess out;
  out.thread = thread;
  out.at = at;
  out.writes = writes;
  return out;
}

using Key = std::vector<std::tuple<trace::Thread, trace::Address, bool>>;

Key key_of(const std::vector<ContendedAccess>& turns) {
  Key out;
  for (const ContendedAccess& turn : turns) out.emplace_back(turn.thread, turn.at, turn.writes);
  return out;
}

bool conflict(const ContendedAccess& a, const ContendedAccess& b) {
  return a.at == b.at && (a.writes || b.writes);
}

/// All orders that swaps of neighbours without a conflict lead to.
std::set<Key> equivalent(const std::vector<ContendedAccess>& turns) {
  std::set<Key> seen{key_of(turns)};
  std::deque<std::vector<ContendedAccess>> open{turns};
  while (!open.empty()) {
    const std::vector<ContendedAccess> order = open.front();
    open.pop_front();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      if (conflict(order[i], order[i + 1])) continue;
      std::vector<ContendedAccess> next = order;
      std::swap(next[i], next[i + 1]);
      if (seen.insert(key_of(next)).second) open.push_back(next);
    }
  }
  return seen;
}

std::vector<ContendedAccess> random_turns(std::mt19937& random, std::size_t count) {
  std::vector<ContendedAccess> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(access(static_cast<trace::Thread>(i), 8 * (random() % 2), random() % 2 == 0));
  return out;
}

}  // namespace

TEST_CASE(
    "two orders have one canonical trace if and only if swaps of neighbours without a conflict lead to one another") {
  std::mt19937 random(7);
  std::size_t equal = 0, different = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<ContendedAccess> turns = random_turns(random, 2 + random() % 4);
    const std::set<Key> reached = equivalent(turns);
    const explore::CanonicalTrace trace = canonical_trace_of(turns);
    std::sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.thread < b.thread; });
    do {
      const bool is_reached = reached.contains(key_of(turns));
      CHECK((canonical_trace_of(turns) == trace) == is_reached);
      (is_reached ? equal : different) += 1;
    } while (std::next_permutation(turns.begin(), turns.end(),
                                   [](const auto& a, const auto& b) { return a.thread < b.thread; }));
  }
  CHECK(equal > 100);
  CHECK(different > 100);
}

TEST_CASE("every prefix of an equivalent order is a beginning of the trace") {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    std::vector<ContendedAccess> turns = random_turns(random, 5);
    const explore::CanonicalTrace trace = canonical_trace_of(turns);
    for (std::size_t length = 0; length <= turns.size(); ++length)
      CHECK(begins_with(trace, {turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(length)}));
    std::stable_partition(turns.begin(), turns.end(),
                          [](const ContendedAccess& turn) { return turn.at == 0; });
    CHECK(begins_with(trace, turns));
  }
}

TEST_CASE("what another order begins with is no beginning of the trace") {
  const std::vector<ContendedAccess> turns = {access(0, 0, true), access(1, 0, false), access(2, 0, false),
                                              access(3, 0, true)};
  const explore::CanonicalTrace trace = canonical_trace_of(turns);
  CHECK(begins_with(trace, {turns[0], turns[2], turns[1]}));
  CHECK_FALSE(begins_with(trace, {turns[1]}));
  CHECK_FALSE(begins_with(trace, {turns[3]}));
  CHECK_FALSE(begins_with(trace, {turns[0], turns[3]}));
  CHECK_FALSE(begins_with(trace, {turns[0], access(4, 0, false)}));
  CHECK_FALSE(begins_with(trace, {access(0, 8, true)}));
}

TEST_CASE("accesses of one block may change places, though they write") {
  const std::vector<ContendedAccess> one = {access(0, 0, true), access(1, 0, true), access(2, 0, true)},
                                     other = {one[1], one[0], one[2]};
  CHECK(canonical_trace_of(one) != canonical_trace_of(other));
  CHECK(canonical_trace_of(one, {0, 0, 2}) == canonical_trace_of(other, {0, 0, 2}));
  CHECK(canonical_trace_of(one, {0, 0, 2}) != canonical_trace_of({one[0], one[2], one[1]}, {0, 0, 2}));
}

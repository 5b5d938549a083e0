// SPDX-License-Identifier: Apache-2.0
// Dominators, loops and liveness against their definitions, on small random graphs.
#include "ptx/flow/graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace ptxmc::flow {
namespace {

constexpr std::size_t kNodes = 9, kGraphs = 400;

Graph drawn(std::mt19937& random) {
  Graph out(kNodes);
  for (std::size_t at = 0; at + 1 < kNodes; ++at) {
    if (random() % 6 != 0) out[at].push_back(at + 1);
    if (random() % 3 == 0) out[at].push_back(random() % kNodes);
  }
  return out;
}

/// Is `to` reached from `from` by a path, of no edges at least, on which `without` is not?
bool leads(const Graph& next, std::size_t from, std::size_t to, std::size_t without) {
  std::vector<bool> seen(next.size(), false);
  std::vector<std::size_t> open{from};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == without || seen[at]) continue;
    seen[at] = true;
    if (at == to) return true;
    open.insert(open.end(), next[at].begin(), next[at].end());
  }
  return false;
}

bool dominates(const Graph& next, std::size_t a, std::size_t b) {
  return leads(next, 0, b, kNowhere) && (a == b || !leads(next, 0, b, a));
}

TEST_CASE("an immediate dominator is on every path, and behind all others that are") {
  std::mt19937 random(1);
  for (std::size_t k = 0; k < kGraphs; ++k) {
    const Graph next = drawn(random);
    const std::vector<std::size_t> found = dominators(next, 0);
    CHECK(found[0] == kNowhere);
    for (std::size_t b = 1; b < kNodes; ++b) {
      CAPTURE(b);
      if (!leads(next, 0, b, kNowhere)) {
        CHECK(found[b] == kNowhere);
        continue;
      }
      REQUIRE(found[b] < kNodes);
      CHECK(dominates(next, found[b], b));
      for (std::size_t a = 0; a < kNodes; ++a) {
        if (a != b && dominates(next, a, b)) CHECK(dominates(next, a, found[b]));
      }
    }
  }
}

TEST_CASE("a postdominator is a dominator of the graph turned round") {
  // A branch over node 2, and a loop of 3 that never ends.
  const Graph next = {{1, 3}, {2, 4}, {4}, {3}, {}};
  const std::vector<std::size_t> found = postdominators(next, 4);
  CHECK(found[0] == 1);
  CHECK(found[1] == 4);
  CHECK(found[2] == 4);
  CHECK(found[3] == kNowhere);
  CHECK(found[4] == kNowhere);
}

TEST_CASE("a natural loop holds what leads back to its header; with one entry the header dominates it") {
  std::mt19937 random(2);
  std::size_t several = 0;
  for (std::size_t k = 0; k < kGraphs; ++k) {
    const Graph next = drawn(random);
    for (const NaturalLoop& loop : natural_loops(next)) {
      REQUIRE_FALSE(loop.latches.empty());
      several += loop.has_one_entry ? 0 : 1;
      for (const std::size_t latch : loop.latches) {
        CHECK(std::count(next[latch].begin(), next[latch].end(), loop.header) > 0);
        CHECK(loop.holds[latch]);
      }
      for (std::size_t at = 0; at < kNodes; ++at) {
        const bool back = at == loop.header ||
                          std::any_of(loop.latches.begin(), loop.latches.end(),
                                      [&](std::size_t latch) { return leads(next, at, latch, loop.header); });
        CHECK(loop.holds[at] == back);
        if (loop.has_one_entry && loop.holds[at] && leads(next, 0, at, kNowhere))
          CHECK(dominates(next, loop.header, at));
      }
      if (loop.has_one_entry) continue;
      CHECK(std::any_of(loop.latches.begin(), loop.latches.end(),
                        [&](std::size_t latch) { return !dominates(next, loop.header, latch); }));
    }
  }
  CHECK(several > 0);
}

TEST_CASE("a cycle holds the nodes on paths from one back to itself") {
  std::mt19937 random(3);
  for (std::size_t k = 0; k < kGraphs; ++k) {
    const Graph next = drawn(random);
    const std::size_t node = random() % kNodes;
    const std::vector<bool> cycle = cycle_of(node, next);
    const auto follows = [&](std::size_t from, std::size_t to) {
      return std::any_of(next[from].begin(), next[from].end(),
                         [&](std::size_t first) { return leads(next, first, to, kNowhere); });
    };
    for (std::size_t at = 0; at < kNodes; ++at) CHECK(cycle[at] == (follows(node, at) && follows(at, node)));
  }
}

TEST_CASE("what is read before it is written is live, on one path at least") {
  std::mt19937 random(4);
  for (std::size_t k = 0; k < kGraphs; ++k) {
    const Graph next = drawn(random);
    const std::size_t read = random() % kNodes, written = random() % kNodes, from = random() % kNodes;
    const bool live = is_live(
        next, from, [&](std::size_t at) { return at == read; },
        [&](std::size_t at) { return at == written; });
    CHECK(live == leads(next, from, read, written == read ? kNowhere : written));
  }
}

}  // namespace
}  // namespace ptxmc::flow

// SPDX-License-Identifier: Apache-2.0
// Bit sets and matrices against their definitions: all relations over 3 events, and random ones of sizes
// around word ends.
#include "model/relation/bits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace ptxmc::relation;

namespace {

using Plain = std::vector<std::vector<bool>>;

Plain plain(const BitMatrix& m) {
  Plain out(m.size(), std::vector<bool>(m.size()));
  for (std::size_t a = 0; a < m.size(); ++a) {
    for (std::size_t b = 0; b < m.size(); ++b) out[a][b] = m.test(a, b);
  }
  return out;
}

Plain sequence(const Plain& x, const Plain& y) {
  Plain out(x.size(), std::vector<bool>(x.size()));
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (std::size_t c = 0; c < x.size(); ++c) {
      for (std::size_t b = 0; x[a][c] && b < x.size(); ++b) {
        if (y[c][b]) out[a][b] = true;
      }
    }
  }
  return out;
}

Plain unite(Plain x, const Plain& y) {
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (std::size_t b = 0; b < x.size(); ++b) x[a][b] = x[a][b] || y[a][b];
  }
  return x;
}

Plain closure(const Plain& x) {
  Plain out = x;
  for (Plain next = unite(out, sequence(out, x)); next != out; next = unite(out, sequence(out, x)))
    out = next;
  return out;
}

void check_pair(const BitMatrix& x, const BitMatrix& y) {
  const std::size_t n = x.size();
  const Plain px = plain(x);
  const Plain py = plain(y);
  BitMatrix out(n);
  out.assign_sequence(x, y);
  CHECK(plain(out) == sequence(px, py));
  BitMatrix united = x;
  united |= y;
  CHECK(plain(united) == unite(px, py));
  BitMatrix both = x;
  both &= y;
  BitMatrix left = x;
  left -= y;
  bool right = true;
  bool contained = true;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      right =
          right && both.test(a, b) == (px[a][b] && py[a][b]) && left.test(a, b) == (px[a][b] && !py[a][b]);
      contained = contained && (!py[a][b] || px[a][b]);
    }
  }
  CHECK(right);
  CHECK(x.contains(y) == contained);
}

void check_one(const BitMatrix& x) {
  const std::size_t n = x.size();
  const Plain px = plain(x);
  const Plain closed = closure(px);
  BitMatrix out = x;
  out.close();
  CHECK(plain(out) == closed);
  bool reflexive_somewhere = false;
  bool cyclic = false;
  std::size_t count = 0;
  BitMatrix inverse(n);
  inverse.assign_inverse(x);
  BitSet domain(n);
  BitSet range(n);
  x.assign_domain(domain);
  x.assign_range(range);
  bool right = true;
  for (std::size_t a = 0; a < n; ++a) {
    reflexive_somewhere = reflexive_somewhere || px[a][a];
    cyclic = cyclic || closed[a][a];
    bool out_edge = false;
    bool in_edge = false;
    for (std::size_t b = 0; b < n; ++b) {
      count += px[a][b] ? 1 : 0;
      out_edge = out_edge || px[a][b];
      in_edge = in_edge || px[b][a];
      right = right && inverse.test(b, a) == px[a][b];
    }
    right = right && domain.test(a) == out_edge && range.test(a) == in_edge;
  }
  CHECK(right);
  CHECK(x.irreflexive() == !reflexive_somewhere);
  CHECK(x.acyclic() == !cyclic);
  CHECK(x.count() == count);
  CHECK(x.empty() == (count == 0));
  std::size_t visited = 0;
  x.for_each([&](std::size_t a, std::size_t b) { visited += px[a][b] ? 1 : n * n; });
  CHECK(visited == count);
}

BitMatrix random_matrix(std::size_t n, double density, std::mt19937& random) {
  std::bernoulli_distribution edge(density);
  BitMatrix out(n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (edge(random)) out.set(a, b);
    }
  }
  return out;
}

/// Pairs from a lower place to a higher one of a random order: no cycle.
BitMatrix random_order(std::size_t n, double density, std::mt19937& random) {
  std::vector<std::size_t> place(n);
  std::iota(place.begin(), place.end(), std::size_t{0});
  std::shuffle(place.begin(), place.end(), random);
  const BitMatrix drawn = random_matrix(n, density, random);
  BitMatrix out(n);
  drawn.for_each([&](std::size_t a, std::size_t b) {
    if (a < b) out.set(place[a], place[b]);
  });
  return out;
}

}  // namespace

TEST_CASE("all relations over 3 events") {
  for (unsigned mask = 0; mask < 512; ++mask) {
    BitMatrix x(3);
    for (unsigned i = 0; i < 9; ++i) {
      if ((mask >> i) & 1) x.set(i / 3, i % 3);
    }
    check_one(x);
  }
}

TEST_CASE("random relations of sizes around word ends") {
  std::mt19937 random(7);
  for (const std::size_t n : {1U, 2U, 17U, 63U, 64U, 65U, 130U}) {
    for (const double density : {0.0, 0.01, 0.05, 0.5, 1.0}) {
      const BitMatrix x = random_matrix(n, density, random);
      const BitMatrix y = random_matrix(n, density, random);
      CAPTURE(n);
      CAPTURE(density);
      check_one(x);
      check_pair(x, y);
    }
  }
}

TEST_CASE("random orders, and orders with one pair against them") {
  std::mt19937 random(11);
  for (const std::size_t n : {2U, 17U, 65U}) {
    for (const double density : {0.01, 0.05, 0.5, 1.0}) {
      BitMatrix x = random_order(n, density, random);
      CAPTURE(n);
      CAPTURE(density);
      check_one(x);
      x.set(random() % n, random() % n);
      check_one(x);
    }
  }
}

TEST_CASE("products, identities and sets") {
  for (const std::size_t n : {1U, 64U, 65U, 100U}) {
    BitSet odd(n);
    for (std::size_t i = 1; i < n; i += 2) odd.set(i);
    BitSet all(n);
    all.set_all();
    CHECK(all.count() == n);
    CHECK(all.contains(odd));
    CHECK(odd.contains(all) == (odd.count() == n));
    BitSet even = all;
    even -= odd;
    CHECK(even.count() + odd.count() == n);
    even |= odd;
    CHECK(even == all);
    even &= odd;
    CHECK(even == odd);
    BitMatrix product(n);
    product.assign_product(odd, all);
    CHECK(product.count() == odd.count() * n);
    BitMatrix identity(n);
    identity.assign_identity(odd);
    CHECK(identity.count() == odd.count());
    CHECK(product.contains(identity));
    BitMatrix within(n);
    BitMatrix composed(n);
    within.assign_within(odd, product);
    composed.assign_sequence(identity, product);
    CHECK(within == composed);
    within.assign_within(product, odd);
    composed.assign_sequence(product, identity);
    CHECK(within == composed);
    std::vector<std::size_t> seen;
    odd.for_each([&](std::size_t i) { seen.push_back(i); });
    CHECK(seen.size() == odd.count());
    all.reset(0);
    CHECK_FALSE(all.test(0));
    all.clear();
    CHECK(all.empty());
    product.reset(n - 1, 0);
    product.clear();
    CHECK(product.empty());
  }
}

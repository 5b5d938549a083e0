// SPDX-License-Identifier: Apache-2.0
#include "repair/minimal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace ptxmc::repair;

namespace {

bool includes(const Set& larger, const Set& smaller) {
  return std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
}

/// Has the set one of some others in it?
bool has_one(const std::vector<Set>& ways, const Set& set) {
  return std::any_of(ways.begin(), ways.end(), [&](const Set& way) { return includes(set, way); });
}

std::vector<Set> found_by(std::size_t count, std::size_t most, const std::vector<Set>& ways, bool monotone) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < count; ++i) costs.push_back(1.0 + static_cast<double>(i % 3));
  std::vector<Set> out;
  double last = 0;
  minimal_sets(
      costs, most, [&](const Set& set) { return std::optional<bool>(has_one(ways, set)); },
      [&](const Set& set, double cost) {
        CHECK(cost >= last);
        last = cost;
        out.push_back(set);
        return true;
      },
      monotone);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("minimal sets: all of them, none with another in it, as by looking at every set") {
  std::mt19937 random(7);
  for (int turn = 0; turn < 60; ++turn) {
    const std::size_t count = 3 + random() % 6;
    std::vector<Set> ways;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
      std::set<std::size_t> way;
      for (std::size_t k = 0; k < 1 + random() % 3; ++k) way.insert(random() % count);
      ways.emplace_back(way.begin(), way.end());
    }
    std::set<Set> wanted;
    for (const Set& way : ways) {
      const bool minimal = std::none_of(
          ways.begin(), ways.end(), [&](const Set& other) { return other != way && includes(way, other); });
      if (minimal) wanted.insert(way);
    }
    CHECK(found_by(count, 3, ways, true) == std::vector<Set>(wanted.begin(), wanted.end()));
    CHECK(found_by(count, 3, ways, false) == std::vector<Set>(wanted.begin(), wanted.end()));
  }
}

TEST_CASE("minimal sets: none, and beyond the size that is wanted") {
  const auto never = [](const Set&) { return std::optional<bool>(false); };
  const auto none = [](const Set&, double) { return true; };
  CHECK_FALSE(minimal_sets({1, 1}, 2, never, none).any);
  const auto all = [](const Set& set) { return std::optional<bool>(set.size() == 3); };
  const MinimalSets beyond = minimal_sets({1, 1, 1}, 2, all, none);
  CHECK(beyond.any);
  CHECK(beyond.beyond);
  const auto open = [](const Set&) { return std::optional<bool>(); };
  CHECK(minimal_sets({1, 1}, 2, open, none).open);
}

TEST_CASE("minimal choices: the weakest options together") {
  // Two sites with options 0 < 1 < 2; enough are two steps in all.
  const std::vector<std::vector<std::vector<std::size_t>>> weaker = {{{}, {0}, {0, 1}}, {{}, {0}, {0, 1}}};
  auto found = minimal_choices(
      weaker, {2, 2}, [](const Choice& choice) { return std::optional<bool>(choice[0] + choice[1] >= 2); });
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<Choice>{{0, 2}, {1, 1}, {2, 0}});
}

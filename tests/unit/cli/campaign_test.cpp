// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "face/cli/campaign_plan.h"
#include "face/cli/duration.h"
#include "face/cli/shard.h"

using namespace ptxmc::cli;

namespace {

/// Tests that are through so many sweeps.
CampaignState state_of(const std::vector<unsigned>& sweeps) {
  CampaignState out;
  for (const unsigned n : sweeps) {
    TestProgress test;
    test.sweeps = n;
    out.tests.push_back(test);
  }
  return out;
}

CampaignState fresh(std::size_t tests) {
  return state_of(std::vector<unsigned>(tests, 0));
}

}  // namespace

TEST_CASE("durations") {
  CHECK(parse_duration("90") == 90.0);
  CHECK(parse_duration("0.1") == 0.1);
  CHECK(parse_duration("1e-6") == 1e-6);
  CHECK(parse_duration("90s") == 90.0);
  CHECK(parse_duration("5m") == 300.0);
  CHECK(parse_duration("1.5h") == 5400.0);
  CHECK(parse_duration("1h30m") == 5400.0);
  CHECK(parse_duration("1h1m1s") == 3661.0);
  for (const char* wrong :
       {"", "0", "-1", "5x", "m", "5m3", "3s5m", "5m5m", "1e99", "inf", "nan", "5 m", "0s"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_duration(wrong));
  }
  CHECK(print_duration(4.25) == "4.2 s");
  CHECK(print_duration(42.9) == "42 s");
  CHECK(print_duration(303) == "5 min 3 s");
  CHECK(print_duration(7800) == "2 h 10 min");
  CHECK(print_duration(-1) == "0.0 s");
}

TEST_CASE("shards are disjoint and complete") {
  for (const char* wrong : {"", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/", "/2"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_shard(wrong));
  }
  for (const std::uint32_t count : {1U, 2U, 7U}) {
    std::vector<int> dealt(count);
    for (int test = 0; test < 1000; ++test) {
      int takers = 0;
      for (std::uint32_t i = 1; i <= count; ++i) {
        const auto shard = parse_shard(std::to_string(i) + "/" + std::to_string(count));
        REQUIRE(shard);
        if (!shard->takes("MP+" + std::to_string(test))) continue;
        ++takers;
        ++dealt[i - 1];
      }
      CHECK(takers == 1);
    }
    for (const int tests : dealt) CHECK(tests > 800 / static_cast<int>(count));
  }
}

TEST_CASE("the sweeps of a campaign: a moment, then four times as much, then all that is left") {
  CHECK_FALSE(next_sweep(fresh(0), 100));
  double left = 1000;
  std::vector<double> shares;
  for (unsigned number = 0; const auto sweep = next_sweep(state_of({number, number}), left); ++number) {
    CHECK(sweep->number == number);
    CHECK(sweep->items.size() == 2);
    shares.push_back(sweep->share);
    left -= 2 * sweep->share;
  }
  CHECK(left == doctest::Approx(0));
  REQUIRE(shares.size() >= 3);
  CHECK(shares[0] == 0.25);
  CHECK(shares[1] == 1);
  for (std::size_t i = 1; i < shares.size(); ++i) CHECK(shares[i] > shares[i - 1]);
}

TEST_CASE("little time: two sweeps, or one, and never none") {
  const auto first = next_sweep(fresh(100), 50);
  REQUIRE(first);
  CHECK(first->share == doctest::Approx(0.1));
  CHECK(next_sweep(fresh(100), 8)->share == doctest::Approx(0.08));
  CHECK(next_sweep(fresh(100), 0)->share > 0);
  CHECK_FALSE(next_sweep(state_of({1, 1}), 0));
  CHECK_FALSE(next_sweep(state_of({1, 1}), 0.01));
}

TEST_CASE("what lags behind goes first") {
  const auto rest = next_sweep(state_of({2, 1, 2, 1}), 100);
  REQUIRE(rest);
  CHECK(rest->number == 1);
  CHECK(rest->items == std::vector<std::size_t>{1, 3});
  CampaignState state = state_of({2, 1, 2, 1});
  state.tests[1].over = state.tests[3].over = true;
  CHECK(next_sweep(state, 100)->number == 2);
  state.tests[0].over = state.tests[2].over = true;
  CHECK_FALSE(next_sweep(state, 100));
}

TEST_CASE("what is left goes to another sweep, as long as each test gets a moment") {
  CHECK(next_sweep(state_of({1, 1}), 0.2)->share == doctest::Approx(0.1));
  CHECK(next_sweep(state_of({3, 3}), 0.1)->share == doctest::Approx(0.05));
  CHECK_FALSE(next_sweep(state_of({3, 3}), 0.09));
}

TEST_CASE("every sweep has a seed of its own") {
  CHECK(seed_of(7, 0) == 7);
  CHECK(seed_of(7, 1) != seed_of(7, 2));
  CHECK(seed_of(7, 1) != seed_of(8, 1));
}

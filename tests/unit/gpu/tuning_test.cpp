// SPDX-License-Identifier: Apache-2.0
// The search, against rates that are computed.
#include "gpu/run/tuning.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ptxmc::gpu;

namespace {

/// Best at 512 instances and 40 % of stressing CTAs; tests differ in their best stride.
double hill(std::size_t test, const Parameters& p) {
  const auto distance = [](double a, double b) { return std::abs(std::log2(a) - std::log2(b)); };
  return 1000 * std::exp2(-distance(p.instances, 512) - distance(p.stride, test == 0 ? 8 : 128) -
                          std::abs(static_cast<double>(p.stress.ctas) - 40) / 20);
}

struct Budget {
  std::size_t calls = 0, most = 0;
};

TuningQuestions questions(Budget& budget, std::size_t tests,
                          const std::function<double(std::size_t, const Parameters&)>& rate) {
  TuningQuestions q;
  q.tests = tests;
  q.rates = [&budget, rate](const std::vector<Trial>& trials) {
    std::vector<double> out;
    for (const Trial& trial : trials) {
      ++budget.calls;
      out.push_back(rate(trial.test, trial.parameters));
    }
    return out;
  };
  q.spent = [&budget] { return static_cast<double>(budget.calls) / static_cast<double>(budget.most); };
  return q;
}

bool valid(const Parameters& p) {
  try {
    return parse_stress(print_stress(p.stress)) == p.stress && p.instances >= kLeastInstances &&
           p.instances <= kMostInstances && p.stride >= 1 && p.stride <= kMostStride &&
           (p.instances & (p.instances - 1)) == 0 && (p.stride & (p.stride - 1)) == 0;
  } catch (const StressError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("gain: a geometric mean") {
  CHECK_EQ(gain({}, {}, 1), 1);
  CHECK_EQ(gain({8, 2}, {2, 2}, 1), doctest::Approx(2));
  CHECK_EQ(gain({0, 4}, {0, 1}, 0.5), doctest::Approx(2));  // never seen, before and after
  CHECK_EQ(gain({4, 0}, {1, 4}, 1), doctest::Approx(1));
}

TEST_CASE("drawn parameters are ones that the command line takes") {
  ParameterSource source(3);
  Parameters p;
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) {
    const Parameters drawn = source.random(p);
    REQUIRE(valid(drawn));
    REQUIRE_NE(drawn, p);
    const Parameters next = source.near(p);
    REQUIRE(valid(next));
    REQUIRE_NE(next, p);
    p = next;
    seen.insert(print(p));
  }
  CHECK_GT(seen.size(), 1000);
}

TEST_CASE("a seed repeats a search") {
  const auto result = [](std::uint32_t seed) {
    Budget budget{0, 400};
    TuningQuestions q = questions(budget, 2, hill);
    q.seed = seed;
    return tune(q).joint;
  };
  CHECK_EQ(result(1), result(1));
  CHECK_NE(result(1), result(2));
}

TEST_CASE("a search climbs, for each test and for all") {
  Budget budget{0, 3000};
  TuningQuestions q = questions(budget, 2, hill);
  std::vector<double> gains;
  q.better = [&](const Parameters&, double g) { gains.push_back(g); };
  const Tuning found = tune(q);
  CHECK_EQ(found.best[0].parameters.stride, 8);
  CHECK_EQ(found.best[1].parameters.stride, 128);
  for (const Tuning::Choice& best : found.best) {
    CHECK_EQ(best.parameters.instances, 512);
    CHECK_EQ(best.parameters.stress.ctas, 40);
    CHECK_EQ(best.rate, doctest::Approx(1000));
  }
  CHECK_EQ(found.joint.instances, 512);
  CHECK_EQ(found.joint.stress.ctas, 40);
  CHECK_EQ(found.joint_gain, doctest::Approx(gain(found.joint_rates, found.first_rates, 1)));
  CHECK_GT(found.joint_gain, 10);
  CHECK(std::is_sorted(gains.begin(), gains.end()));
  CHECK_GT(found.trials, 2800);
  CHECK_LT(found.trials, 3000 + 3 * 2 + 2);  // what confirms is all that goes beyond
}

TEST_CASE("luck does not win: what is not better in the end gives way to the first parameters") {
  Budget budget{0, 200};
  TuningQuestions q = questions(budget, 3, [&](std::size_t, const Parameters& p) {
    const bool searching = budget.calls < 190;
    return p == Parameters{} ? 100.0 : searching ? 200.0 : 50.0;
  });
  const Tuning found = tune(q);
  CHECK_EQ(found.joint, Parameters{});
  CHECK_EQ(found.joint_gain, 1);
  CHECK_EQ(found.joint_rates, found.first_rates);
  for (const Tuning::Choice& best : found.best) {
    CHECK_EQ(best.parameters, Parameters{});
    CHECK_EQ(best.rate, 100);
  }
}

TEST_CASE("tests that never show anything do not stand in the way") {
  Budget budget{0, 1000};
  TuningQuestions q = questions(
      budget, 2, [](std::size_t test, const Parameters& p) { return test == 0 ? 0.0 : hill(1, p); });
  const Tuning found = tune(q);
  CHECK_EQ(found.best[0].parameters, Parameters{});
  CHECK_EQ(found.best[0].rate, 0);
  CHECK_GT(found.joint_gain, 2);
}

TEST_CASE("no budget, no tests") {
  Budget budget{0, 1};
  CHECK_EQ(tune(questions(budget, 1, hill)).joint, Parameters{});
  Budget none{2, 1};
  CHECK(tune(questions(none, 0, hill)).best.empty());
}

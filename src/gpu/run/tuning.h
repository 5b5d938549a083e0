// SPDX-License-Identifier: Apache-2.0
// A search for parameters that show weak behaviour often. It knows nothing of GPUs: a function tells the rate
// of a test under parameters.
//
// Random search finds good parameters of GPU memory tests with few trials (Kirkham et al., OOPSLA 2020;
// Levine et al., ASPLOS 2023), because many of them help. So the first part of the budget draws parameters,
// and runs all tests with each. The second changes a few parameters at a time: for all tests together, of
// those that are best for all and of those that are best for one test; and for each test by itself, of both.
// A score for all is the geometric mean of the rates relative to those of the parameters that the search
// began with, so no test outweighs another. What won by luck is found out at the end: the winners and the
// first parameters run once more, and a winner that is not better than the first parameters then gives way to
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gpu/run/parameters.h"

namespace ptxmc::gpu {

/// A source of parameters; the same on all machines for a seed.
class ParameterSource {
 public:
  explicit ParameterSource(std::uint32_t seed) : engine_(seed) {}
  /// Some groups of parameters that belong together drawn, the others as in `first`: a kernel that does all
  /// it can at once has little time left for the test.
  Parameters random(const Parameters& first);
  /// One to three of the parameters changed.
  Parameters near(Parameters parameters);
  /// 0 .. bound-1
  unsigned below(unsigned bound);

 private:
  void change(Parameters& parameters, unsigned which);
  unsigned power(unsigned least, unsigned most);
  unsigned percent();
  /// 0 in half of all cases.
  unsigned maybe(unsigned value) { return below(2) == 0 ? 0 : value; }

  std::mt19937 engine_;
};

/// A test under parameters.
struct Trial {
  std::size_t test = 0;
  Parameters parameters;
};

struct TuningQuestions {
  std::size_t tests = 0;
  Parameters first;  ///< what all others are compared with
  std::uint32_t seed = 1;
  /// Outcomes a second, of each trial. May throw, which ends the search.
  std::function<std::vector<double>(const std::vector<Trial>& trials)> rates;
  /// How much of the budget is spent, from 0 to 1; the search ends behind 1.
  std::function<double()> spent;
  /// Told of each better choice for all tests.
  std::function<void(const Parameters& parameters, double gain)> better;
  /// The rate of one outcome in the time of a trial: what is not seen at all counts as this. Positive.
  double least_rate = 1;
};

struct Tuning {
  struct Choice {
    Parameters parameters;
    double rate = 0;
  };
  std::vector<double> first_rates;  ///< by test, as measured at the end
  std::vector<Choice> best;         ///< by test
  Parameters joint;
  std::vector<double> joint_rates;  ///< by test
  double joint_gain = 1;            ///< the geometric mean of joint_rates relative to first_rates
  std::size_t trials = 0;           ///< that were asked for
};

Tuning tune(const TuningQuestions& questions);

/// The geometric mean of rates relative to others; a rate below `least` counts as that. 1 for no tests.
double gain(const std::vector<double>& rates, const std::vector<double>& first, double least);

}  // namespace ptxmc::gpu

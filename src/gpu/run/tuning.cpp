// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/tuning.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/check.h"

namespace ptxmc::gpu {

namespace {

constexpr double kDrawing = 0.35;   // of the budget, for parameters drawn at random
constexpr double kChanging = 0.95;  // until then changes of the best; the rest is for the last word
constexpr unsigned kParameters = 16;

class Search {
 public:
  explicit Search(const TuningQuestions& questions) : q_(questions), source_(questions.seed) {
    PTXMC_CHECK(q_.least_rate > 0, "a least rate that is not positive");
  }

  Tuning run() {
    out_.first_rates = rates(q_.first);
    for (const double rate : out_.first_rates) out_.best.push_back({q_.first, rate});
    out_.joint = q_.first;
    out_.joint_rates = out_.first_rates;
    while (q_.spent() < kDrawing) try_for_all(source_.random(q_.first));
    for (std::size_t turn = 0; q_.spent() < kChanging; ++turn) {
      if (turn % 3 == 0 || q_.tests == 1) {
        try_for_all(source_.near(out_.joint));
      } else if (turn % 3 == 1) {
        try_for_each();
      } else {
        try_for_all(source_.near(out_.best[turn / 3 % q_.tests].parameters));
      }
    }
    confirm();
    return std::move(out_);
  }

 private:
  std::vector<double> rates(const std::vector<Trial>& trials) {
    out_.trials += trials.size();
    std::vector<double> out = q_.rates(trials);
    PTXMC_CHECK(out.size() == trials.size(), "trials without a rate");
    return out;
  }
  std::vector<double> rates(const Parameters& parameters) {
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < q_.tests; ++i) trials.push_back({i, parameters});
    return rates(trials);
  }
  void note(std::size_t test, const Parameters& parameters, double rate) {
    if (rate > out_.best[test].rate) out_.best[test] = {parameters, rate};
  }

  void try_for_all(const Parameters& parameters) {
    const std::vector<double> now = rates(parameters);
    for (std::size_t i = 0; i < q_.tests; ++i) note(i, parameters, now[i]);
    const double score = gain(now, out_.first_rates, q_.least_rate);
    if (score <= out_.joint_gain) return;
    out_.joint = parameters;
    out_.joint_rates = now;
    out_.joint_gain = score;
    if (q_.better) q_.better(parameters, score);
  }
  void try_for_each() {
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < q_.tests; ++i)
      trials.push_back({i, source_.near(source_.below(2) == 0 ? out_.joint : out_.best[i].parameters)});
    const std::vector<double> now = rates(trials);
    for (std::size_t i = 0; i < q_.tests; ++i) note(i, trials[i].parameters, now[i]);
  }

  void confirm() {
    out_.first_rates = rates(q_.first);
    std::vector<Trial> winners;
    for (std::size_t i = 0; i < q_.tests; ++i) winners.push_back({i, out_.best[i].parameters});
    const std::vector<double> now = rates(winners);
    for (std::size_t i = 0; i < q_.tests; ++i) {
      const bool better = now[i] > out_.first_rates[i];
      out_.best[i] = {better ? winners[i].parameters : q_.first, std::max(now[i], out_.first_rates[i])};
    }
    if (out_.joint != q_.first) out_.joint_rates = rates(out_.joint);
    out_.joint_gain = gain(out_.joint_rates, out_.first_rates, q_.least_rate);
    if (out_.joint != q_.first && out_.joint_gain > 1) return;
    out_.joint = q_.first;
    out_.joint_rates = out_.first_rates;
    out_.joint_gain = 1;
  }

  const TuningQuestions& q_;
  ParameterSource source_;
  Tuning out_;
};

}  // namespace

unsigned ParameterSource::below(unsigned bound) {
  return static_cast<unsigned>((std::uint64_t{engine_()} * bound) >> 32);
}

/// A power of two, each as likely as another.
unsigned ParameterSource::power(unsigned least, unsigned most) {
  return least << below(static_cast<unsigned>(std::countr_zero(most) - std::countr_zero(least)) + 1);
}

unsigned ParameterSource::percent() {
  return 10 * (1 + below(10));
}

void ParameterSource::change(Parameters& p, unsigned which) {
  StressOptions& s = p.stress;
  switch (which) {
    case 0:
      p.instances = power(kLeastInstances, kMostInstances);
      break;
    case 1:
      p.stride = power(4, 256);
      break;
    case 2:
      s.ctas = maybe(5 * (1 + below(14)));
      break;
    case 3:
      s.iterations = power(1, 128);
      break;
    case 4:
      s.pattern = static_cast<Pattern>(below(4));
      break;
    case 5:
      s.pre = maybe(percent());
      break;
    case 6:
      s.pre_iterations = power(1, 16);
      break;
    case 7:
      s.pre_pattern = static_cast<Pattern>(below(4));
      break;
    case 8:
      s.line = power(4, 1024);
      break;
    case 9:
      s.lines = power(1, 4096);
      break;
    case 10:
      s.scratch = power(4, 16384);
      break;
    case 11:
      s.assignment = static_cast<Assignment>(below(2));
      break;
    case 12:
      s.shuffle = 100 - maybe(percent());
      break;
    case 13:
      s.spread = 100 - maybe(percent());
      break;
    case 14:
      s.align = maybe(percent());
      s.align_limit = power(4, 256);
      break;
    case 15:
      s.occupancy = 100 - maybe(5 * below(16));
      break;
    default:
      PTXMC_CHECK(false, "no such parameter");
  }
}

Parameters ParameterSource::random(const Parameters& first) {
  static const std::vector<std::vector<unsigned>> groups = {{0},  {1},  {2, 3, 4}, {5, 6, 7}, {8, 9, 10, 11},
                                                            {12}, {13}, {14},      {15}};
  Parameters out = first;
  while (out == first) {
    for (const std::vector<unsigned>& group : groups) {
      if (below(3) != 0) continue;
      for (const unsigned which : group) change(out, which);
    }
  }
  return out;
}

Parameters ParameterSource::near(Parameters parameters) {
  const Parameters before = parameters;
  const unsigned changes = 1 + below(3);
  for (unsigned i = 0; i < changes || parameters == before; ++i) change(parameters, below(kParameters));
  return parameters;
}

double gain(const std::vector<double>& rates, const std::vector<double>& first, double least) {
  PTXMC_CHECK(rates.size() == first.size(), "rates of different tests");
  if (rates.empty()) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i)
    sum += std::log(std::max(rates[i], least) / std::max(first[i], least));
  return std::exp(sum / static_cast<double>(rates.size()));
}

Tuning tune(const TuningQuestions& questions) {
  return Search(questions).run();
}

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
#include "repair/cost_model.h"

#include <algorithm>

namespace ptxmc::repair {

namespace {

constexpr double kLeast = 1e-3;

}  // namespace

CostModel::CostModel(const Costs& costs, const std::vector<Site>& sites)
    : costs_(costs), measured_(!costs.empty()) {
  for (const Site& site : sites) {
    for (const Option& option : site.options) {
      if (option.instruction == option.before) continue;
      for (const std::string& name : {option.instruction, option.before}) {
        if (name.empty() || costs.of(name)) continue;
        measured_ = false;
        if (unmeasured_.empty()) unmeasured_ = name;
      }
    }
  }
}

double CostModel::difference(const Option& option) const {
  const auto price = [&](const std::string& name) {
    if (name.empty()) return 0.0;
    return measured_ ? *costs_.of(name) : strength(name);
  };
  if (option.instruction == option.before) return 0;
  double sum = price(option.instruction) - price(option.before);
  for (const std::string& name : option.beside)
    sum += measured_ ? costs_.of(name).value_or(0) : strength(name);
  return sum * static_cast<double>(option.copies);
}

double CostModel::of(const Option& option) const {
  return std::max(difference(option), kLeast);
}

}  // namespace ptxmc::repair

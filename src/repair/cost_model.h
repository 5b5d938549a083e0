// SPDX-License-Identifier: Apache-2.0
// What changes cost, all in one unit: nanoseconds where a table has all instructions concerned, else strengths.
#pragma once

#include <string>
#include <vector>

#include "repair/change.h"
#include "repair/costs.h"

namespace ptxmc::repair {

class CostModel {
 public:
  CostModel(const Costs& costs, const std::vector<Site>& sites);

  /// What an option adds; of a relaxation, negative.
  double difference(const Option& option) const;
  /// The same, not below a small positive number: fewer changes go before more of no cost.
  double of(const Option& option) const;
  bool measured() const { return measured_; }
  /// An instruction that the table lacks.
  const std::string& unmeasured() const { return unmeasured_; }

 private:
  const Costs& costs_;
  bool measured_ = false;
  std::string unmeasured_;
};

}  // namespace ptxmc::repair

// SPDX-License-Identifier: Apache-2.0
// Readings of the manual that a run takes: those that clocks can express.
#pragma once

#include <string>
#include <vector>

#include "dynamic/exec/run.h"
#include "dynamic/order/readings.h"
#include "model/readings.h"

namespace ptxmc::explore {

struct VerifyReadings {
  trace::Readings orders;
  exec::Readings execution;
  std::string under;  ///< what is not the default, in words: "ptx-8.4 with init-visible=causality"

  /// What is in force, whatever the defaults are.
  void take(const model::Readings& readings);
  /// One of those that a run can take, "init-visible=causality" say.
  void allow(model::ReadingChoice choice);
  friend bool operator==(const VerifyReadings&, const VerifyReadings&) = default;
};

/// Those that a run can take besides the defaults, also where what it says holds with them and without.
const std::vector<model::ReadingChoice>& taken_readings();
/// One of these, or the default of such a reading.
bool is_taken(model::ReadingChoice choice);

}  // namespace ptxmc::explore

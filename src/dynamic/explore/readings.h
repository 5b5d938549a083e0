// SPDX-License-Identifier: Apache-2.0
// Readings of the manual that a run takes: those that clocks can express.
#pragma once

#include <string>
#include <vector>

#include "dynamic/order/readings.h"
#include "model/readings.h"

namespace ptxmc::explore {

struct VerifyReadings {
  trace::Readings orders;
  bool first_fence_is_free = false;  ///< R245: the first wgmma.mma_async needs no wgmma.fence before it
  bool one_place = false;  ///< 9.7.12.1: all threads of a CTA come to an aligned barrier at one instruction
  std::string under;       ///< what is not the default, in words: "ptx-8.4 with init-visible=causality"

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

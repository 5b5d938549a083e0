// SPDX-License-Identifier: Apache-2.0
// What a run says of the runs that did not take place, and how much of the code it saw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/verify.h"
#include "report/verify_findings.h"

namespace ptxmc::report {

/// Why the claim is not about all schedules; empty where a finding alone is the reason, or none.
std::vector<std::string> limits_of(const Verified& verified);

struct Coverage {
  std::uint64_t executed = 0, all = 0;  ///< instructions of the code
  std::uint64_t synchronized = 0, synchronizing = 0;
  std::vector<VerifyPlace> never;  ///< of synchronization, not executed
};
Coverage coverage_of(const Verified& verified);

}  // namespace ptxmc::report

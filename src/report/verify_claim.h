// SPDX-License-Identifier: Apache-2.0
// What a run says of all of them, and how much of the code it saw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/verify.h"
#include "report/verify_findings.h"

namespace ptxmc::report {

/// A sentence without a full stop, and without what limits it.
std::string claim_of(const Verified& verified);

struct Coverage {
  std::uint64_t executed = 0, all = 0;  ///< instructions of the code
  std::uint64_t synchronized = 0, synchronizing = 0;
  std::vector<VerifyPlace> never;  ///< of synchronization, not executed
};
Coverage coverage_of(const Verified& verified);

}  // namespace ptxmc::report

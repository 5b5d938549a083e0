// SPDX-License-Identifier: Apache-2.0
// How much of the code a run saw.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/verify/findings.h"

namespace ptxmc::explain {

struct Coverage {
  std::uint64_t executed = 0, all = 0;  ///< instructions of the code
  std::uint64_t synchronized = 0, synchronizing = 0;
  std::vector<Place> never;  ///< of synchronization, not executed
};
Coverage coverage_of(const claim::VerifyResult& verified);

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// What a run says of all of them, and how much of the code it saw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/verify/findings.h"
#include "explain/verify/verified.h"

namespace ptxmc::explain {

/// A sentence without a full stop, and without what limits it.
std::string claim_of(const Verified& verified);

struct Coverage {
  std::uint64_t executed = 0, all = 0;  ///< instructions of the code
  std::uint64_t synchronized = 0, synchronizing = 0;
  std::vector<VerifyPlace> never;  ///< of synchronization, not executed
};
Coverage coverage_of(const Verified& verified);

}  // namespace ptxmc::explain

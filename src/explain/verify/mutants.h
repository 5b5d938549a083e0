// SPDX-License-Identifier: Apache-2.0
// What becomes of a kernel from which synchronization is taken, one piece at a time.
#pragma once

#include <string>
#include <vector>

#include "explain/verify/findings.h"
#include "kernel/changes.h"

namespace ptxmc::explain {

struct Mutant {
  VerifyPlace place;
  kernel::Change change = kernel::Change::leave_out;
  std::string
      caught;  ///< "race at line 12, line 40": what is found that was not before; empty: nothing, and no hang
  std::string because{};  ///< why nothing is: what stands for it
};

/// What an unchanged run shows, as a changed one is compared with it.
class Baseline {
 public:
  explicit Baseline(const Verified& verified);
  /// The worst of what the changed run shows beyond that; empty: nothing of a warning's severity.
  std::string beyond(const Verified& changed) const;

 private:
  std::vector<std::string> known_;
};

}  // namespace ptxmc::explain

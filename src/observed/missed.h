// SPDX-License-Identifier: Apache-2.0
// The lines of a campaign's file about tests that it could not run.
#pragma once

#include <string>
#include <vector>

#include "support/source.h"

namespace ptxmc::observed {

struct MissedTest {
  std::string name, hash;
  std::string fate;  ///< "skipped", "hung", "refused" or "failed"
  std::string why;   ///< in a line or several
};

/// Those of a log, in order; a test may have several. Other lines are not looked at.
std::vector<MissedTest> read_missed(const SourcePtr& source);

}  // namespace ptxmc::observed

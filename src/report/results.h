// SPDX-License-Identifier: Apache-2.0
// What became of one launch among many, in this process or in others.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::report {

struct VerifyResult {
  struct Finding {
    std::string rule, severity, cause, place;
    /// "error: race at k.cu:88"
    std::string text() const;
  };
  std::string input, launch, answer, error;
  int status = 0;
  double seconds = 0;
  std::vector<Finding> findings;
  std::string line;

  bool failed() const { return status == 1; }
};

}  // namespace ptxmc::report

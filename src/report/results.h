// SPDX-License-Identifier: Apache-2.0
// What became of one launch among many, in this process or in others.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::report {

/// The result of a launch or a test.
struct VerifyResult {
  struct Finding {
    std::string rule, severity, cause, place;
    /// "error: race at k.cu:88"
    std::string text() const;
  };
  std::string input, launch, answer, error;
  std::string unknown;              ///< why an answer is open; empty: it is not, or it is not said
  std::vector<std::string> limits;  ///< of a claim: why it is not of all schedules
  int status = 0;
  double seconds = 0;
  std::vector<Finding> findings;
  std::string line;

  /// Nothing was found, and why that is not said of all schedules: the first reason, and how many there are.
  std::string bounded() const;

  bool failed() const { return status == 1; }
  bool open() const { return status == 3; }
};

}  // namespace ptxmc::report

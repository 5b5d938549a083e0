// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0: one run, a result a finding, each at its first place, with the others as related locations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "explain/verify/findings.h"

namespace ptxmc::report {

/// A whole file.
class VerifySarif {
 public:
  explicit VerifySarif(std::string version) : version_(std::move(version)) {}
  void add(const explain::Verified& verified);
  std::string print() const;

 private:
  struct Result {
    std::string file;
    explain::VerifyFinding finding;
  };
  std::string version_;
  std::vector<Result> results_;
};

}  // namespace ptxmc::report

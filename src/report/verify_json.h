// SPDX-License-Identifier: Apache-2.0
// Runs for programs.
//
// JSON, one object a launch, on one line:
//   launch                 the kernel's name
//   file                   of the module, or the test
//   answer                 "finding" | "bounded" | "exact"
//   claim                  {exact: true | false, assumptions: [sentence]}: why it is not, if nothing was found
//   findings               [{rule, severity: "error" | "warning" | "note", instances,
//                            places: [{line, column, text, source: "k.cu:88", thread: [in its CTA, CTA], access, proxy,
//                                     waits: for what}],
//                            pairs: [{lines: [first, second], bytes}], cause, advice, section,
//                            confirmed: true | false | null, of races: what the exact engine says of the litmus test of
//                            the first pair; unconfirmed: why it says nothing; litmus: the file of that test}]
//   coverage               {instructions: [executed, all], synchronization: [executed, all], never: [line]}
//   ran                    {lanes, warps, seconds}: instructions
//
// SARIF 2.1.0: one run, a result a finding, each at its first place, with the others as related locations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/verify.h"
#include "report/verify_findings.h"

namespace ptxmc::report {

/// A line of JSON.
std::string verify_json(const Verified& verified);

/// A whole file.
class VerifySarif {
 public:
  explicit VerifySarif(std::string version) : version_(std::move(version)) {}
  void add(const Verified& verified);
  std::string print() const;

 private:
  struct Result {
    std::string file;
    VerifyFinding finding;
  };
  std::string version_;
  std::vector<Result> results_;
};

}  // namespace ptxmc::report
